import { END } from '../graph/definition/index.ts';
import type { GraphDefinition } from '../graph/definition/index.ts';
import { arrowsOfNode, arrowsOfEdge } from '../graph/diagram/index.ts';
import { toList } from '../graph/values/index.ts';

/** Finds the nodes that a node may lead to: by any edge, by `onError` and by `mayGoto`; sorted by id. */
export function findSuccessors({ nodes, edges }: GraphDefinition, id: string): readonly string[] {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  const edgeTargets = edges.filter(({ from }) => toList(from).includes(id)).flatMap(arrowsOfEdge);
  const detours = node ? arrowsOfNode(node) : [];
  const found = new Set([...edgeTargets, ...detours].map(({ to }) => to));
  found.delete(END);
  return [...found].sort();
}
