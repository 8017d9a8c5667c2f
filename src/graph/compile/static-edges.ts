import { END } from '../definition/definition.ts';
import type { GraphDefinition, NodeDefinition, Target } from '../definition/definition.ts';
import { forEdge } from '../definition/edge-kinds.ts';
import type { EdgeTable } from '../definition/edge-kinds.ts';
import { namesInFields } from '../definition/names-at.ts';
import { fieldsOf, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import { toList } from '../values/collections.ts';

/** A way from nodes to others, whatever the state is. Several sources form a join: all have to finish. */
export interface StaticEdge {
  readonly sources: readonly string[];
  /** Node ids, or `__end__`. */
  readonly targets: readonly string[];
  readonly kind: StaticEdgeKind;
}

/**
 * `plain`: the targets run whenever the sources finish. `conditional`: the state chooses. `goto`: the node itself does,
 * perhaps in place of its edges. `failure`: they run when the source fails.
 */
type StaticEdgeKind = 'plain' | 'conditional' | 'goto' | 'failure';

/** Lists every way that a run of the graph may take by itself: edges, `onError` and `mayGoto`. */
export function staticEdges({ nodes, edges }: GraphDefinition): readonly StaticEdge[] {
  const byEdges = edges.map((edge): StaticEdge => {
    const { kind, targets } = forEdge(edge, WAYS);
    return { sources: [...new Set(toList(edge.from))], targets: distinct(targets), kind };
  });
  const byNodes = Object.entries(nodes).flatMap(([id, node]) => detoursOf(id, node));
  return [...byEdges, ...byNodes, ...deadEnds(nodes, [...byEdges, ...byNodes])];
}

function detoursOf(id: string, node: NodeDefinition): readonly StaticEdge[] {
  const { onError } = node;
  const sources = [id];
  const onFailure = typeof onError === 'object' ? [{ sources, targets: [onError.to], kind: 'failure' as const }] : [];
  const named = namesInFields({ fields: fieldsOf(node), path: '' }, fieldsOfKind('goto'));
  const onGoto = named.length > 0 ? [{ sources, targets: named.map(({ name }) => name), kind: 'goto' as const }] : [];
  return [...onFailure, ...onGoto];
}

interface Ways {
  readonly kind: 'plain' | 'conditional';
  readonly targets: readonly Target[];
}

/** Branches that may lead nowhere end a path. */
const WAYS: EdgeTable<Ways> = {
  plain: ({ to }) => ({ kind: 'plain', targets: [to] }),
  branches: ({ branches }) => {
    const isTotal = branches.some(({ when }) => when === undefined);
    return { kind: 'conditional', targets: [...branches.map(({ to }) => to), ...(isTotal ? [] : [END])] };
  },
  route: ({ paths, default: otherwise }) => ({
    kind: 'conditional',
    targets: [...Object.values(paths), ...(otherwise === undefined ? [] : [otherwise])],
  }),
  forEach: ({ to }) => ({ kind: 'conditional', targets: [to] }),
};

function distinct(targets: readonly Target[]): readonly string[] {
  return [...new Set(targets.flatMap((target) => (toList(target).length === 0 ? [END] : toList(target))))];
}

/** Paths end at a node that nothing leaves. */
function deadEnds(nodes: GraphDefinition['nodes'], edges: readonly StaticEdge[]): readonly StaticEdge[] {
  const left = new Set(edges.filter(({ kind }) => kind !== 'failure').flatMap(({ sources }) => sources));
  return Object.keys(nodes)
    .filter((id) => !left.has(id))
    .map((id) => ({ sources: [id], targets: [END], kind: 'plain' }));
}
