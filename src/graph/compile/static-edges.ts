import { END, forEdge, targetsOfForEach, targetsOfPaths } from '../definition/definition.ts';
import type { Target, GraphDefinition, NodeDefinition, EdgeTable } from '../definition/definition.ts';
import { toList, addToList } from '../values/collections.ts';
import { namedEntries, fieldsOfKind } from '../definition/node-types/describe-node.ts';

/** Returns the edges that leave each node. */
export function edgesBySource<Edge extends { readonly sources: readonly string[] }>(
  edges: readonly Edge[],
): ReadonlyMap<string, readonly Edge[]> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) for (const source of edge.sources) addToList(leaving, source, edge);
  return leaving;
}

/** A possible transition between nodes, whatever the state is. Several sources form a join: all have to finish. */
export interface StaticEdge {
  readonly sources: readonly string[];
  /** Node ids, or `__end__`. */
  readonly targets: readonly string[];
  readonly kind: StaticEdgeKind;
}

/**
 * `plain`: the targets run whenever the sources finish. `conditional`: the state chooses. `goto`: the node itself
 * chooses, perhaps instead of its edges. `failure`: the targets run when the source fails.
 */
type StaticEdgeKind = 'plain' | 'conditional' | 'goto' | 'failure';

/** Lists every transition that a run of the graph may take by itself: edges, `onError` and `mayGoto`. */
export function staticEdges({ nodes, edges }: GraphDefinition): readonly StaticEdge[] {
  const byEdges = edges.map((edge): StaticEdge => {
    const { kind, targets } = forEdge(edge, TRANSITIONS);
    return { sources: [...new Set(toList(edge.from))], targets: distinctTargets(targets), kind };
  });
  const byNodes = Object.entries(nodes).flatMap(([id, node]) => errorEdgesOf(id, node));
  return [...byEdges, ...byNodes, ...deadEnds(nodes, [...byEdges, ...byNodes])];
}

function errorEdgesOf(id: string, node: NodeDefinition): readonly StaticEdge[] {
  const { onError } = node;
  const sources = [id];
  const onFailure = typeof onError === 'object' ? [{ sources, targets: [onError.to], kind: 'failure' as const }] : [];
  const targets = namedEntries(node, fieldsOfKind('goto'));
  const onGoto = targets.length > 0 ? [{ sources, targets, kind: 'goto' as const }] : [];
  return [...onFailure, ...onGoto];
}

interface EdgeTransitions {
  readonly kind: 'plain' | 'conditional';
  readonly targets: readonly Target[];
}

/** The transitions of each kind of edge. Branches that may choose no target end a path. */
const TRANSITIONS: EdgeTable<EdgeTransitions> = {
  plain: ({ to }) => ({ kind: 'plain', targets: [to] }),
  branches: ({ branches }) => {
    const hasDefault = branches.some(({ when }) => when === undefined);
    return { kind: 'conditional', targets: [...branches.map(({ to }) => to), ...(hasDefault ? [] : [END])] };
  },
  route: (edge) => ({ kind: 'conditional', targets: targetsOfPaths(edge) }),
  forEach: (edge) => ({ kind: 'conditional', targets: targetsOfForEach(edge) }),
};

function distinctTargets(targets: readonly Target[]): readonly string[] {
  return [...new Set(targets.flatMap((target) => (toList(target).length === 0 ? [END] : toList(target))))];
}

/** Returns edges to `__end__` for nodes without outgoing edges, because paths end there. */
function deadEnds(nodes: GraphDefinition['nodes'], edges: readonly StaticEdge[]): readonly StaticEdge[] {
  const left = new Set(edges.filter(({ kind }) => kind !== 'failure').flatMap(({ sources }) => sources));
  return Object.keys(nodes)
    .filter((id) => !left.has(id))
    .map((id) => ({ sources: [id], targets: [END], kind: 'plain' }));
}
