import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { addToList } from '../../values/collections.ts';
import { spendUnits } from '../../values/meter.ts';
import { defineRule, issueWarning } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject } from '../subject.ts';

/** Finds a cycle that no condition ever leaves. */
export const unboundedLoops = defineRule({
  codes: ['UNBOUNDED_LOOP'],
  find: (subject) => {
    const targetLists = withinCycles(plainSteps(subject));
    const done = new Set<string>();
    return [...subject.nodes.keys()].flatMap((start) => {
      if (done.has(start) || !targetLists.has(start)) return [];
      const cycle = cycleThrough(start, targetLists);
      if (cycle) for (const node of [cycle.start, ...cycle.rest]) done.add(node);
      return cycle ? toLoopWarnings(subject, cycle) : [];
    });
  },
});

/** The lists of targets by source. The sources of a join share a list. */
type TargetLists = ReadonlyMap<string, readonly (readonly LocatedName[])[]>;

/**
 * Returns the targets of unconditional edges by source. Nodes with `maxVisits` are excluded, because they bound a loop.
 */
function plainSteps({ edges, nodes }: ValidationSubject): TargetLists {
  const targetLists = new Map<string, (readonly LocatedName[])[]>();
  const isBounded = (node: string): boolean => nodes.get(node)?.fields['maxVisits'] !== undefined;
  for (const { kind, sources, targets } of edges) {
    if (kind !== 'plain') continue;
    for (const { name } of sources) if (!isBounded(name)) addToList(targetLists, name, targets);
  }
  return targetLists;
}

/** Drops the nodes that are on no cycle. */
function withinCycles(targetLists: TargetLists): TargetLists {
  const lists = [...new Set([...targetLists.values()].flat())];
  const targets = new Map<string | readonly LocatedName[], readonly (string | readonly LocatedName[])[]>([
    ...targetLists,
    ...lists.map((list) => [list, list.map(({ name }) => name)] as const),
  ]);
  const left = onCycles(targets);
  return new Map([...targetLists].filter(([name]) => left.has(name)));
}

/** The nodes of a loop, in order. */
interface LoopNodes {
  readonly start: string;
  readonly rest: readonly string[];
}

/** The price of following targets: the search begins at each node, so it visits all edges for each of them. */
const TARGETS_PER_UNIT = 4;

/** Returns the shortest cycle through a node; `null` if there is none. */
function cycleThrough(start: string, targetLists: TargetLists): LoopNodes | null {
  const cameFrom = new Map<string, string>();
  const followed = new Set<readonly LocatedName[]>();
  const queue = [start];
  for (const node of queue) {
    const fresh = (targetLists.get(node) ?? []).filter((targets) => !followed.has(targets));
    for (const targets of fresh) {
      followed.add(targets);
      spendUnits(Math.ceil(targets.length / TARGETS_PER_UNIT));
    }
    for (const { name } of fresh.flat()) {
      if (name === start) return { start, rest: pathBetween(node, start, cameFrom) };
      if (cameFrom.has(name) || !targetLists.has(name)) continue;
      cameFrom.set(name, node);
      queue.push(name);
    }
  }
  return null;
}

function pathBetween(end: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path: string[] = [];
  for (let at: string | undefined = end; at !== undefined && at !== start; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

/** Returns a warning at the first edge of the loop. */
function toLoopWarnings({ edges }: ValidationSubject, { start, rest }: LoopNodes): GraphIssues<'UNBOUNDED_LOOP'> {
  const [second = start] = rest;
  const closes = ({ sources, targets }: ValidationSubject['edges'][number]): boolean =>
    sources.some(({ name }) => name === start) && targets.some(({ name }) => name === second);
  return edges
    .filter(closes)
    .slice(0, 1)
    .map(({ path }) =>
      issueWarning(
        'UNBOUNDED_LOOP',
        path,
        `Nothing ever leaves the loop ${[start, ...rest, start].join(' → ')}; only maxSteps ends it`,
        'Leave it by branches, or set maxVisits on one of its nodes',
      ),
    );
}

/** A directed graph: the targets of each vertex. */
type DirectedGraph<V> = ReadonlyMap<V, readonly V[]>;

/**
 * Finds in linear time the vertices that may be on a cycle: those on a cycle, and those on a path between cycles.
 * @see Kahn, Topological sorting of large networks, 1962
 */
export function onCycles<V>(targets: DirectedGraph<V>): ReadonlySet<V> {
  const reached = removeStarts(targets);
  return new Set(removeStarts(reverseEdges(reached)).keys());
}

/** Removes vertices without incoming edges until there are none. */
function removeStarts<V>(targets: DirectedGraph<V>): DirectedGraph<V> {
  const left = new Map(targets);
  const sources = new Map<V, number>();
  for (const target of [...targets.values()].flat()) sources.set(target, (sources.get(target) ?? 0) + 1);
  const starts = [...targets.keys()].filter((vertex) => !sources.has(vertex));
  for (const start of starts) {
    for (const target of left.get(start) ?? []) {
      const others = (sources.get(target) ?? 0) - 1;
      sources.set(target, others);
      if (others === 0) starts.push(target);
    }
    left.delete(start);
  }
  return left;
}

function reverseEdges<V>(targets: DirectedGraph<V>): DirectedGraph<V> {
  const sources = new Map<V, V[]>([...targets.keys()].map((vertex) => [vertex, []]));
  for (const [vertex, reached] of targets) for (const target of reached) sources.get(target)?.push(vertex);
  return sources;
}
