import { addToList } from '../values/collections.ts';

/** Returns the edges that leave each node. */
export function bySource<Edge extends { readonly sources: readonly string[] }>(
  edges: readonly Edge[],
): ReadonlyMap<string, readonly Edge[]> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) for (const source of edge.sources) addToList(leaving, source, edge);
  return leaving;
}
