import { namesUsed } from '../../graph/definition/index.ts';
import type { Catalog, GraphDefinition } from '../../graph/definition/index.ts';
import { kindOf, nameOf } from '../../store/calls/call-events.ts';
import type { BeginOfCall, CallKind } from '../../store/calls/call-events.ts';
import type { SwitchKind } from '../../store/rulings/rulings-tables.ts';
import type { Switch } from '../../store/rulings/switches.ts';
import type { OffThing } from './facts.ts';

/** A graph with what a run of it has pinned. */
interface Pinned {
  readonly definition: GraphDefinition;
  readonly catalog: Pick<Catalog, 'graphs'>;
}

/** What a run is at. */
export interface AtWork {
  /** The nodes, as the run shows them. */
  readonly next: readonly string[];
  /** The begins of calls without an end; the history does not tell of those of models. */
  readonly open: readonly BeginOfCall[];
}

type Used = ReturnType<typeof namesUsed>;

/** What a switch of a kind keeps back. */
interface Kept {
  /** What a node uses of it. */
  readonly used: (used: Used) => readonly string[];
  /** The kind of call event that shows use of it; `null`: no event does. */
  readonly calls: CallKind | null;
}

/** A graph keeps no call from being made. */
const KEPT: Readonly<Record<SwitchKind, Kept>> = {
  tool: { used: ({ tools }) => tools, calls: 'tool' },
  model: { used: ({ models }) => models, calls: null },
  function: { used: ({ functions }) => functions, calls: 'function' },
  'node-type': { used: ({ nodeTypes }) => nodeTypes, calls: 'node' },
  graph: { used: () => [], calls: null },
};

/** True if a node uses nothing but one thing, besides the built-in types of nodes. */
function usesOnly(name: string, { tools, models, functions }: Used): boolean {
  return [...tools, ...models, ...functions].every((one) => one === name);
}

/**
 * Finds what keeps nodes of a run from making calls, with these calls. A node that uses several models may be at a call of
 * another.
 * @param off switches that are off for the tenant
 */
export function findSwitchedOff(
  off: readonly Switch[],
  { definition, catalog }: Pinned,
  { next, open }: AtWork,
): readonly OffThing[] {
  const used = next.flatMap((id) => {
    const node = definition.nodes[id];
    return node ? [{ id, used: namesUsed({ ...definition, nodes: { [id]: node } }, catalog.graphs ?? {}) }] : [];
  });
  return off.flatMap(({ kind, name, reason, changedAt: since }) => {
    const kept = KEPT[kind];
    const calls = open.filter((call) => kindOf(call) === kept.calls && nameOf(call) === name);
    const callers = new Set(calls.map(outermostNode));
    const isCertain = (node: (typeof used)[number]): boolean => callers.has(node.id) || usesOnly(name, node.used);
    const users = used.filter((node) => kept.used(node.used).includes(name));
    const waiting = kept.calls === null ? users : users.filter(isCertain);
    if (waiting.length === 0) return [];
    const nodes = waiting.map(({ id }) => id);
    return [{ kind, name, reason, since, isSure: waiting.every(isCertain), nodes, calls: calls.map(keyOf) }];
  });
}

/** The node of the run's own graph that a call is made for. */
function outermostNode({ path = [], node }: BeginOfCall): string {
  return path[0] ?? node;
}

function keyOf({ idempotencyKey }: BeginOfCall): string {
  return idempotencyKey;
}
