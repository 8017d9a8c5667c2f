import type { OnErrorDefinition, WriteDefinition } from '../definition/common-fields.ts';
import { END } from '../definition/definition.ts';
import { spend, tryWithAllowance, unitsSpent, withoutCharge } from '../values/meter.ts';
import { ApprovalSets } from './approval-sets.ts';
import type { ApprovalNode } from './approval-sets.ts';
import { findCertainNodes } from './certain-nodes.ts';
import type { CompiledGraph } from './compile.ts';
import { findDominators } from './dominators.ts';
import { bySource } from './by-source.ts';
import { staticEdges } from './static-edges.ts';
import type { StaticEdge } from './static-edges.ts';

/** The approval nodes that hold the nodes and channels of a graph. */
export interface ApprovalHolds extends Held {
  /** Returns the approvals that a node passes when it finishes: itself, or those that its graph always passes. */
  within(node: string): readonly ApprovalNode[];
  /** Returns the nodes that the edges of a node may lead to. */
  after(node: string): readonly string[];
}

/** What approvals hold. */
interface Held {
  /** Returns the approvals that every path from the entry to one of the nodes passes; a join passes all its sources. */
  before(nodes: readonly string[]): readonly ApprovalNode[];
  /** Returns the approvals whose decision reaches one of the channels. */
  writing(channels: readonly string[]): readonly ApprovalNode[];
  /** The approvals that every run of the graph passes before it finishes. */
  readonly always: readonly ApprovalNode[];
  /** The approvals whose decisions are in the output of the graph. */
  readonly told: readonly ApprovalNode[];
}

/** A graph that was looked at. */
interface Look {
  readonly holds: ApprovalHolds;
  /** The prices of the graph and of each graph inside it, by graph: several nodes may lead to one. */
  readonly prices: ReadonlyMap<CompiledGraph, number>;
  readonly units: number;
}

const known = new WeakMap<CompiledGraph, Look>();

/**
 * Finds the approvals that hold the parts of a graph. A graph is looked at once, and only when somebody asks. A process
 * that remembers a graph charges the same as one that looks at it.
 */
export function approvalHolds(graph: CompiledGraph): ApprovalHolds {
  const { holds, units } = withoutCharge(() => lookAt(graph));
  spend(units);
  return holds;
}

function lookAt(graph: CompiledGraph): Look {
  const found = known.get(graph);
  if (found) return found;
  const graphs = new Set([...graph.nodes.values()].flatMap(({ subgraph }) => subgraph ?? []));
  const inside = new Map([...graphs].map((inner) => [inner, lookAt(inner)]));
  const before = unitsSpent();
  const holds = findHolds(graph, inside);
  const own = unitsSpent() - before;
  const prices = new Map([[graph, own], ...[...inside.values()].flatMap((look) => [...look.prices])]);
  const look = { holds, prices, units: [...prices.values()].reduce((sum, units) => sum + units, 0) };
  known.set(graph, look);
  return look;
}

/** Half a second: far more than graphs need that people write, and far below what an activation may take. */
const MAX_UNITS = 5_000_000;

function findHolds(graph: CompiledGraph, inside: Inside): ApprovalHolds {
  const edges = staticEdges(graph.definition);
  const leaving = bySource(edges);
  const parts = partsOf(graph, inside);
  const { within } = parts;
  const held = tryWithAllowance('To find what approvals hold', MAX_UNITS, () => findHeld(graph, edges, parts));
  return {
    ...(held ?? holdsAll(parts)),
    within: (node) => within.get(node) ?? [],
    after: (node) => (leaving.get(node) ?? []).flatMap(({ targets }) => targets).filter((target) => target !== END),
  };
}

/** The approvals of the nodes of a graph, by node. */
interface Parts {
  /** Those that the node passes. */
  readonly within: ReadonlyMap<string, readonly ApprovalNode[]>;
  /** Those whose decisions the node writes. */
  readonly written: ReadonlyMap<string, readonly ApprovalNode[]>;
}

/** The graphs inside of a graph. */
type Inside = ReadonlyMap<CompiledGraph, Look>;

const NONE: readonly ApprovalNode[] = [];

function partsOf({ nodes }: CompiledGraph, inside: Inside): Parts {
  const within = new Map<string, readonly ApprovalNode[]>();
  const written = new Map<string, readonly ApprovalNode[]>();
  for (const { id, behavior, subgraph } of nodes.values()) {
    const { always = NONE, told = NONE } = (subgraph && inside.get(subgraph)?.holds) ?? {};
    const own = behavior.policy && [{ id, policy: behavior.policy }];
    within.set(id, own ?? always);
    written.set(id, own ?? told);
  }
  return { within, written };
}

/** Where a graph is too large to look at, each approval counts as one that holds everything. */
function holdsAll({ within, written }: Parts): Held {
  const all = [...new Set([...within.values(), ...written.values()])].flat();
  const ofAny = (names: readonly string[]) => (names.length === 0 ? NONE : all);
  return { before: ofAny, writing: ofAny, always: all, told: all };
}

function findHeld(graph: CompiledGraph, edges: readonly StaticEdge[], { within, written }: Parts): Held {
  const sets = new ApprovalSets(within.values());
  const writers = findWriters(graph, written);
  const setOf = (node: string): bigint => sets.of(within.get(node) ?? NONE);
  const before = findDominators(edges, {
    by: (node, { kind }) => (kind === 'failure' && !isApproval(graph, node) ? 0n : setOf(node)),
    full: sets.full,
    price: sets.price,
  });
  const certain = [...findCertainNodes(edges)];
  return {
    before: (nodes) => sets.list(sets.join(nodes.map(before))),
    writing: writers,
    always: sets.list(sets.join([before(END), ...certain.map(setOf)])),
    told: writers(graph.output),
  };
}

function isApproval({ nodes }: CompiledGraph, id: string): boolean {
  return nodes.get(id)?.behavior.policy !== undefined;
}

/** Finds the channels that approval nodes write, and those to which subgraph nodes bring their decisions. */
function findWriters(graph: CompiledGraph, written: Parts['written']): Held['writing'] {
  const sets = new ApprovalSets(written.values());
  const writers = new Map<string, bigint>();
  for (const [id, { write, onError }] of Object.entries(graph.definition.nodes)) {
    const approvals = sets.of(written.get(id) ?? NONE);
    const channels = [...channelsOf(write), ...(isApproval(graph, id) ? onErrorChannels(onError) : [])];
    spend(channels.length * sets.price);
    for (const channel of channels) writers.set(channel, (writers.get(channel) ?? 0n) | approvals);
  }
  return (channels) => sets.list(sets.join(channels.map((channel) => writers.get(channel) ?? 0n)));
}

function channelsOf(write: WriteDefinition | undefined): readonly string[] {
  return typeof write === 'string' ? [write] : Object.keys(write ?? {});
}

function onErrorChannels(onError: OnErrorDefinition | undefined): readonly string[] {
  return typeof onError === 'object' ? channelsOf(onError.write) : [];
}
