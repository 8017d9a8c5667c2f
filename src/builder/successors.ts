import { END } from '../graph/definition.ts';
import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import { toList } from '../graph/edges.ts';

/** The nodes that a node may lead to: by edges of every kind, by `onError` and by `mayGoto`; in node-id order. */
export function findSuccessors({ nodes, edges }: GraphDefinition, id: string): readonly string[] {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  const found = new Set([
    ...edges.filter(({ from }) => toList(from).includes(id)).flatMap(targetsOf),
    ...(node ? jumpsOf(node) : []),
  ]);
  found.delete(END);
  return [...found].sort();
}

function targetsOf(edge: EdgeDefinition): readonly string[] {
  if ('branches' in edge) return edge.branches.flatMap(({ to }) => toList(to));
  if ('route' in edge) return [...Object.values(edge.paths), edge.default ?? []].flatMap(toList);
  return toList(edge.to);
}

function jumpsOf(node: NodeDefinition): readonly string[] {
  const onError = typeof node.onError === 'object' ? [node.onError.to] : [];
  return 'mayGoto' in node ? [...onError, ...(node.mayGoto ?? [])] : onError;
}
