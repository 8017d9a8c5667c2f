import type { OnErrorDefinition, WriteDefinition } from '../definition/common-fields.ts';
import { END, START } from '../definition/definition.ts';
import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import type { CompiledGraph, CompiledNode } from './compile.ts';
import { staticEdges } from './static-edges.ts';
import type { StaticEdge } from './static-edges.ts';

/** An approval node of a graph, or of a graph inside it. */
export interface ApprovalNode {
  readonly id: string;
  readonly policy: ApprovalPolicy;
}

/** The approval nodes that hold the nodes and channels of a graph. */
export interface ApprovalHolds {
  /** Returns the approvals that every path from the entry to a node passes; a join passes all its sources. */
  before(node: string): readonly ApprovalNode[];
  /** Returns the approvals that a node passes when it finishes: itself, or those that its graph always passes. */
  within(node: string): readonly ApprovalNode[];
  /** Returns the approvals whose decision reaches a channel. */
  writing(channel: string): readonly ApprovalNode[];
  /** Returns the nodes that the edges of a node may lead to. */
  after(node: string): readonly string[];
  /** The approvals that every run of the graph passes before it finishes. */
  readonly always: readonly ApprovalNode[];
}

const known = new WeakMap<CompiledGraph, ApprovalHolds>();

/** Finds the approvals that hold the parts of a graph. A graph is looked at once, and only when somebody asks. */
export function approvalHolds(graph: CompiledGraph): ApprovalHolds {
  const holds = known.get(graph) ?? findHolds(graph);
  known.set(graph, holds);
  return holds;
}

function findHolds(graph: CompiledGraph): ApprovalHolds {
  const edges = staticEdges(graph.definition);
  const within = new Map([...graph.nodes.values()].map((node) => [node.id, approvalsWithin(node)]));
  const sets = new ApprovalSets(within);
  const before = findDominators(edges, graph, sets);
  const certain = [...findCertainNodes(edges)].reduce((all, node) => all | sets.of(node), before(END));
  const writers = findWriters(graph, within);
  return {
    before: (node) => sets.list(before(node)),
    within: (node) => within.get(node) ?? [],
    writing: (channel) => [...(writers.get(channel) ?? [])],
    after: (node) =>
      edges.filter(({ sources, target }) => sources.includes(node) && target !== END).map(({ target }) => target),
    always: sets.list(certain),
  };
}

function isApproval({ nodes }: CompiledGraph, id: string): boolean {
  return nodes.get(id)?.behavior.policy !== undefined;
}

function approvalsWithin({ id, behavior: { policy }, subgraph }: CompiledNode): readonly ApprovalNode[] {
  if (policy) return [{ id, policy }];
  return subgraph ? approvalHolds(subgraph).always : [];
}

/** Sets of approvals as the bits of one number. */
class ApprovalSets {
  readonly #all: readonly ApprovalNode[];
  readonly #ofNode = new Map<string, bigint>();
  /** The set of all approvals. */
  readonly full: bigint;

  constructor(within: ReadonlyMap<string, readonly ApprovalNode[]>) {
    const bits = new Map<ApprovalNode, bigint>();
    for (const [node, approvals] of within) {
      for (const approval of approvals) {
        const bit = bits.get(approval) ?? 1n << BigInt(bits.size);
        bits.set(approval, bit);
        this.#ofNode.set(node, this.of(node) | bit);
      }
    }
    this.#all = [...bits.keys()];
    this.full = (1n << BigInt(bits.size)) - 1n;
  }

  /** The approvals that a node passes when it finishes. */
  of(node: string): bigint {
    return this.#ofNode.get(node) ?? 0n;
  }

  list(set: bigint): readonly ApprovalNode[] {
    return this.#all.filter((_, index) => ((set >> BigInt(index)) & 1n) === 1n);
  }
}

/**
 * Finds the approvals that every path to a node passes. Each node begins with all approvals and keeps what each of its
 * edges brings; an edge brings what all its sources bring. A node that no path reaches keeps all.
 */
function findDominators(
  edges: readonly StaticEdge[],
  graph: CompiledGraph,
  sets: ApprovalSets,
): (node: string) => bigint {
  if (sets.full === 0n) return () => 0n;
  const leaving = bySource(edges);
  const found = new Map([[START, 0n]]);
  const before = (node: string): bigint => found.get(node) ?? sets.full;
  const brings = ({ sources, kind }: StaticEdge): bigint =>
    sources.reduce((all, node) => {
      const hasPassed = kind !== 'failure' || isApproval(graph, node);
      return all | before(node) | (hasPassed ? sets.of(node) : 0n);
    }, 0n);
  const changed = new Set([START]);
  for (const node of changed) {
    changed.delete(node);
    for (const edge of leaving.get(node) ?? []) {
      const kept = before(edge.target) & brings(edge);
      if (kept === found.get(edge.target)) continue;
      found.set(edge.target, kept);
      changed.add(edge.target);
    }
  }
  return before;
}

/** Finds nodes that every run of the graph passes, because plain edges lead to them from nodes that never go elsewhere. */
function findCertainNodes(edges: readonly StaticEdge[]): ReadonlySet<string> {
  const detouring = new Set(
    edges.filter(({ kind }) => kind === 'goto' || kind === 'failure').flatMap(({ sources }) => sources),
  );
  const leaving = bySource(edges.filter(({ kind }) => kind === 'plain'));
  const certain = new Set([START]);
  for (const node of certain) {
    for (const { sources, target } of leaving.get(node) ?? [])
      if (sources.every((source) => certain.has(source) && !detouring.has(source))) certain.add(target);
  }
  return certain;
}

function bySource(edges: readonly StaticEdge[]): ReadonlyMap<string, readonly StaticEdge[]> {
  const leaving = new Map<string, StaticEdge[]>();
  for (const edge of edges) {
    for (const source of edge.sources) {
      const found = leaving.get(source);
      if (found) found.push(edge);
      else leaving.set(source, [edge]);
    }
  }
  return leaving;
}

/** Finds the channels that approval nodes write, and those to which subgraph nodes bring their decisions. */
function findWriters(
  { nodes, definition }: CompiledGraph,
  within: ReadonlyMap<string, readonly ApprovalNode[]>,
): ReadonlyMap<string, ReadonlySet<ApprovalNode>> {
  const writers = new Map<string, Set<ApprovalNode>>();
  const add = (channels: readonly string[], approvals: readonly ApprovalNode[]): void => {
    for (const channel of channels) {
      const found = writers.get(channel) ?? new Set();
      for (const approval of approvals) found.add(approval);
      writers.set(channel, found);
    }
  };
  for (const [id, { write, onError }] of Object.entries(definition.nodes)) {
    const { behavior, subgraph } = nodes.get(id) ?? {};
    if (behavior?.policy) add([...channelsOf(write), ...onErrorChannels(onError)], within.get(id) ?? []);
    if (subgraph) add(channelsOf(write), decidedOutput(subgraph));
  }
  return writers;
}

/** Returns the approvals whose decisions are in the output of a graph. */
function decidedOutput(graph: CompiledGraph): readonly ApprovalNode[] {
  const holds = approvalHolds(graph);
  return [...new Set(graph.output.flatMap((channel) => holds.writing(channel)))];
}

function channelsOf(write: WriteDefinition | undefined): readonly string[] {
  return typeof write === 'string' ? [write] : Object.keys(write ?? {});
}

function onErrorChannels(onError: OnErrorDefinition | undefined): readonly string[] {
  return typeof onError === 'object' ? channelsOf(onError.write) : [];
}
