import type { OnErrorDefinition, WriteDefinition } from '../definition/common-fields.ts';
import { END, START } from '../definition/definition.ts';
import { spendUnits, tryWithAllowance, unitsSpent, withoutCharge } from '../values/meter.ts';
import type { CompiledGraph } from './compile.ts';
import { edgesBySource, staticEdges } from './static-edges.ts';
import type { StaticEdge } from './static-edges.ts';
import type { ApprovalPolicy } from '../definition/node-types/approval.ts';

/** The approval nodes that gate the nodes and channels of a graph. */
export interface ApprovalGates extends GatedParts {
  /**
   * Returns the approvals that are decided when a node finishes: the node itself, or those that the graph inside it
   * always passes.
   */
  within(node: string): readonly ApprovalNode[];
  /** Returns the nodes that the edges of a node may lead to. */
  after(node: string): readonly string[];
}

/** The parts of a graph that are gated by approvals. */
interface GatedParts {
  /** Returns the approvals that every path from the entry to one of the nodes passes; a join passes all its sources. */
  before(nodes: readonly string[]): readonly ApprovalNode[];
  /** Returns the approvals whose decision reaches one of the channels. */
  writing(channels: readonly string[]): readonly ApprovalNode[];
  /** The approvals that every run of the graph passes before it finishes. */
  readonly always: readonly ApprovalNode[];
  /** The approvals whose decisions are part of the graph's output. */
  readonly inOutput: readonly ApprovalNode[];
}

/** An analyzed graph. */
interface GateAnalysis {
  readonly gates: ApprovalGates;
  /** The analysis costs of the graph and of each graph inside it, by graph, because several nodes may share one. */
  readonly prices: ReadonlyMap<CompiledGraph, number>;
  readonly units: number;
}

const knownAnalyses = new WeakMap<CompiledGraph, GateAnalysis>();

/**
 * Finds the approvals that gate the parts of a graph. A graph is analyzed once, on first use. A process that has the
 * analysis in memory charges the same units as one that computes it.
 */
export function approvalGates(graph: CompiledGraph): ApprovalGates {
  const { gates, units } = withoutCharge(() => analyzeGates(graph));
  spendUnits(units);
  return gates;
}

function analyzeGates(graph: CompiledGraph): GateAnalysis {
  const found = knownAnalyses.get(graph);
  if (found) return found;
  const graphs = new Set([...graph.nodes.values()].flatMap(({ subgraph }) => subgraph ?? []));
  const inside = new Map([...graphs].map((inner) => [inner, analyzeGates(inner)]));
  const before = unitsSpent();
  const gates = findGates(graph, inside);
  const own = unitsSpent() - before;
  const prices = new Map([[graph, own], ...[...inside.values()].flatMap((analysis) => [...analysis.prices])]);
  const analysis = { gates, prices, units: [...prices.values()].reduce((sum, units) => sum + units, 0) };
  knownAnalyses.set(graph, analysis);
  return analysis;
}

/** About half a second: far more than handwritten graphs need, and far less than an activation may take. */
const MAX_ANALYSIS_UNITS = 5_000_000;

function findGates(graph: CompiledGraph, inside: InnerAnalyses): ApprovalGates {
  const edges = staticEdges(graph.definition);
  const leaving = edgesBySource(edges);
  const parts = approvalPartsOf(graph, inside);
  const { within } = parts;
  const gated = tryWithAllowance('To find what approvals hold', MAX_ANALYSIS_UNITS, () =>
    findGatedParts(graph, edges, parts),
  );
  return {
    ...(gated ?? gateAll(parts)),
    within: (node) => within.get(node) ?? [],
    after: (node) => (leaving.get(node) ?? []).flatMap(({ targets }) => targets).filter((target) => target !== END),
  };
}

/** The approvals of the nodes of a graph, by node. */
interface ApprovalsByNode {
  /** The approvals that a node passes. */
  readonly within: ReadonlyMap<string, readonly ApprovalNode[]>;
  /** The approvals whose decisions a node writes. */
  readonly written: ReadonlyMap<string, readonly ApprovalNode[]>;
}

/** The graphs inside of a graph. */
type InnerAnalyses = ReadonlyMap<CompiledGraph, GateAnalysis>;

const NO_APPROVALS: readonly ApprovalNode[] = [];

function approvalPartsOf({ nodes }: CompiledGraph, inside: InnerAnalyses): ApprovalsByNode {
  const within = new Map<string, readonly ApprovalNode[]>();
  const written = new Map<string, readonly ApprovalNode[]>();
  for (const { id, behavior, subgraph } of nodes.values()) {
    const { always = NO_APPROVALS, inOutput = NO_APPROVALS } = (subgraph && inside.get(subgraph)?.gates) ?? {};
    const own = behavior.policy && [{ id, policy: behavior.policy }];
    within.set(id, own ?? always);
    written.set(id, own ?? inOutput);
  }
  return { within, written };
}

/** The analysis of a graph that is too large to analyze: each of its approvals gates everything. */
function gateAll({ within, written }: ApprovalsByNode): GatedParts {
  const all = [...new Set([...within.values(), ...written.values()])].flat();
  const ofAny = (names: readonly string[]) => (names.length === 0 ? NO_APPROVALS : all);
  return { before: ofAny, writing: ofAny, always: all, inOutput: all };
}

function findGatedParts(
  graph: CompiledGraph,
  edges: readonly StaticEdge[],
  { within, written }: ApprovalsByNode,
): GatedParts {
  const sets = new ApprovalSets(within.values());
  const writers = findWritingApprovals(graph, written);
  const setOf = (node: string): bigint => sets.of(within.get(node) ?? NO_APPROVALS);
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
    inOutput: writers(graph.output),
  };
}

function isApproval({ nodes }: CompiledGraph, id: string): boolean {
  return nodes.get(id)?.behavior.policy !== undefined;
}

/**
 * Finds the channels that approval nodes write, and those to which subgraph nodes write decisions of the graphs inside.
 */
function findWritingApprovals(graph: CompiledGraph, written: ApprovalsByNode['written']): GatedParts['writing'] {
  const sets = new ApprovalSets(written.values());
  const writers = new Map<string, bigint>();
  for (const [id, { write, onError }] of Object.entries(graph.definition.nodes)) {
    const approvals = sets.of(written.get(id) ?? NO_APPROVALS);
    const channels = [...writtenChannels(write), ...(isApproval(graph, id) ? onErrorChannels(onError) : [])];
    spendUnits(channels.length * sets.price);
    for (const channel of channels) writers.set(channel, (writers.get(channel) ?? 0n) | approvals);
  }
  return (channels) => sets.list(sets.join(channels.map((channel) => writers.get(channel) ?? 0n)));
}

function writtenChannels(write: WriteDefinition | undefined): readonly string[] {
  return typeof write === 'string' ? [write] : Object.keys(write ?? {});
}

function onErrorChannels(onError: OnErrorDefinition | undefined): readonly string[] {
  return typeof onError === 'object' ? writtenChannels(onError.write) : [];
}

/** An approval node of a graph, or of a graph inside it. */
export interface ApprovalNode {
  readonly id: string;
  readonly policy: ApprovalPolicy;
}

/** Sets of approvals as the bits of one number. */
class ApprovalSets {
  readonly #bits = new Map<ApprovalNode, bigint>();
  readonly #ofList = new Map<readonly ApprovalNode[], bigint>();
  /** The set of all approvals. */
  readonly full: bigint;
  /** The price of a union of two sets, in units of the meter. */
  readonly price: number;

  constructor(lists: Iterable<readonly ApprovalNode[]>) {
    for (const approval of [...new Set(lists)].flat()) {
      if (!this.#bits.has(approval)) this.#bits.set(approval, BigInt(this.#bits.size));
    }
    this.full = (1n << BigInt(this.#bits.size)) - 1n;
    this.price = BASE_PRICE + Math.ceil(this.#bits.size / BITS_PER_UNIT);
  }

  /** Returns the set of the given approvals, which the constructor must know. */
  of(list: readonly ApprovalNode[]): bigint {
    const set = this.#ofList.get(list) ?? this.#toSet(list);
    this.#ofList.set(list, set);
    return set;
  }

  #toSet(list: readonly ApprovalNode[]): bigint {
    spendUnits(list.length * this.price);
    return list.reduce((set, approval) => set | (1n << (this.#bits.get(approval) ?? 0n)), 0n);
  }

  /** Returns the union of sets. */
  join(sets: readonly bigint[]): bigint {
    spendUnits(sets.length * this.price);
    return sets.reduce((all, set) => all | set, 0n);
  }

  list(set: bigint): readonly ApprovalNode[] {
    spendUnits(this.#bits.size);
    const digits = set.toString(2);
    return [...this.#bits.keys()].filter((_, index) => digits.at(-1 - index) === '1');
  }
}

const BASE_PRICE = 3;
const BITS_PER_UNIT = 1024;

/**
 * Finds the nodes that every run of the graph passes: unconditional edges lead to them from nodes that have no other
 * way out.
 */
function findCertainNodes(all: readonly StaticEdge[]): ReadonlySet<string> {
  const leavingOtherwise = new Set(
    all.filter(({ kind }) => kind === 'goto' || kind === 'failure').flatMap(({ sources }) => sources),
  );
  const leaving = edgesBySource(all.filter(({ kind }) => kind === 'plain'));
  const arrivals = new Map<StaticEdge, number>();
  const certain = new Set([START]);
  const arrive = (edge: StaticEdge): readonly string[] => {
    const arrived = (arrivals.get(edge) ?? 0) + 1;
    arrivals.set(edge, arrived);
    spendUnits(1);
    return arrived === edge.sources.length ? edge.targets : [];
  };
  for (const node of certain) {
    const edges = leavingOtherwise.has(node) ? [] : (leaving.get(node) ?? []);
    for (const target of edges.flatMap(arrive)) certain.add(target);
  }
  return certain;
}

/** The sets of approvals that nodes have passed, as the bits of one number. */
export interface PassedApprovals {
  /** Returns the approvals that have been passed when the run leaves a node by an edge. */
  by(node: string, edge: StaticEdge): bigint;
  /** The set of everything that can be passed. */
  readonly full: bigint;
  /** The price of a union of two sets, in units of the meter. */
  readonly price: number;
}

/**
 * Finds the approvals that every path to a node passes, by a data-flow analysis. Each node begins with the full set and
 * keeps the intersection of the sets of its edges; the set of an edge is the union of the sets of its sources. A node
 * that no path reaches keeps the full set.
 */
function findDominators(edges: readonly StaticEdge[], passed: PassedApprovals): (node: string) => bigint {
  const found = new Map([[START, 0n]]);
  const before = (node: string): bigint => found.get(node) ?? passed.full;
  if (passed.full === 0n) return before;
  const leaving = edgesBySource(edges);
  const changed = new Set([START]);
  const fire = (edge: StaticEdge): void => {
    const { sources, targets } = edge;
    spendUnits((sources.length + targets.length) * passed.price);
    const contributed = sources.reduce((all, node) => all | before(node) | passed.by(node, edge), 0n);
    for (const target of targets) {
      const kept = before(target) & contributed;
      if (kept === before(target)) continue;
      found.set(target, kept);
      changed.add(target);
    }
  };
  while (changed.size > 0) {
    for (const join of followEdges(changed, leaving, fire)) fire(join);
  }
  return before;
}

/**
 * Propagates along the edges of changed nodes until nothing changes. A join needs all its sources, so it is left for
 * the next round.
 * @returns the joins of the changed nodes
 */
function followEdges(
  changed: Set<string>,
  leaving: ReadonlyMap<string, readonly StaticEdge[]>,
  fire: (edge: StaticEdge) => void,
): ReadonlySet<StaticEdge> {
  const joins = new Set<StaticEdge>();
  for (const node of changed) {
    changed.delete(node);
    for (const edge of leaving.get(node) ?? []) {
      if (edge.sources.length === 1) fire(edge);
      else joins.add(edge);
    }
  }
  return joins;
}
