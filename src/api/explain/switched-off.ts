import { namesUsed } from '../../graph/definition/index.ts';
import type { Catalog, GraphDefinition } from '../../graph/definition/index.ts';
import type { SwitchKind } from '../../store/rulings/rulings-tables.ts';
import type { Switch } from '../../store/rulings/switches.ts';
import type { OffThing } from './facts.ts';

/** A graph with what a run of it has pinned. */
interface Pinned {
  readonly definition: GraphDefinition;
  readonly catalog: Pick<Catalog, 'graphs'>;
}

type Used = ReturnType<typeof namesUsed>;

/** What a node uses of what a switch can be for; a graph keeps no call from being made. */
const USED: Readonly<Record<SwitchKind, (used: Used) => readonly string[]>> = {
  tool: ({ tools }) => tools,
  model: ({ models }) => models,
  function: ({ functions }) => functions,
  'node-type': ({ nodeTypes }) => nodeTypes,
  graph: () => [],
};

/**
 * Finds what keeps nodes of a run from making calls.
 * @param off switches that are off for the tenant
 * @param next the nodes that are at work, as the run shows them
 */
export function whatKeepsBack(
  off: readonly Switch[],
  { definition, catalog }: Pinned,
  next: readonly string[],
): readonly OffThing[] {
  const used = next.flatMap((id) => {
    const node = definition.nodes[id];
    return node ? [{ id, used: namesUsed({ ...definition, nodes: { [id]: node } }, catalog.graphs ?? {}) }] : [];
  });
  return off.flatMap(({ kind, name, reason, changedAt: since }) => {
    const nodes = used.filter((node) => USED[kind](node.used).includes(name)).map(({ id }) => id);
    return nodes.length > 0 ? [{ kind, name, reason, since, nodes }] : [];
  });
}
