import type { OnErrorDefinition, WriteDefinition } from '../definition/common-fields.ts';
import { END } from '../definition/definition.ts';
import { spend, tryWithAllowance, unitsSpent, withoutCharge } from '../values/meter.ts';
import { ApprovalSets } from './approval-sets.ts';
import type { ApprovalNode } from './approval-sets.ts';
import { findCertainNodes } from './certain-nodes.ts';
import type { CompiledGraph } from './compile.ts';
import { findDominators } from './dominators.ts';
import { bySource, staticEdges } from './static-edges.ts';
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

interface Priced {
  readonly holds: ApprovalHolds;
  readonly units: number;
}

const known = new WeakMap<CompiledGraph, Priced>();

/** Finds the approvals that hold the parts of a graph. A graph is looked at once, and only when somebody asks. */
export function approvalHolds(graph: CompiledGraph): ApprovalHolds {
  const priced = known.get(graph) ?? withPrice(() => findHolds(graph));
  known.set(graph, priced);
  spend(priced.units);
  return priced.holds;
}

/** A process that remembers a graph charges the same as one that looks at it. */
function withPrice(find: () => ApprovalHolds): Priced {
  return withoutCharge(() => {
    const before = unitsSpent();
    const holds = find();
    return { holds, units: unitsSpent() - before };
  });
}

/** Half a second: far more than graphs need that people write, and far below what an activation may take. */
const MAX_UNITS = 5_000_000;

function findHolds(graph: CompiledGraph): ApprovalHolds {
  const edges = staticEdges(graph.definition);
  const leaving = bySource(edges);
  const parts = partsOf(graph);
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

const NONE: readonly ApprovalNode[] = [];

function partsOf({ nodes }: CompiledGraph): Parts {
  const graphs = new Set([...nodes.values()].flatMap(({ subgraph }) => subgraph ?? []));
  const inside = new Map([...graphs].map((graph) => [graph, approvalHolds(graph)]));
  const within = new Map<string, readonly ApprovalNode[]>();
  const written = new Map<string, readonly ApprovalNode[]>();
  for (const { id, behavior, subgraph } of nodes.values()) {
    const { always = NONE, told = NONE } = (subgraph && inside.get(subgraph)) ?? {};
    const own = behavior.policy && [{ id, policy: behavior.policy }];
    within.set(id, own ?? always);
    written.set(id, own ?? told);
  }
  return { within, written };
}

/** Where a graph is too large to look at, each approval counts as one that holds everything. */
function holdsAll({ within, written }: Parts): Held {
  const all = [...new Set([...within.values(), ...written.values()])].flat();
  return { before: () => all, writing: () => all, always: all, told: all };
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
