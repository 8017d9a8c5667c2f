/** Returns the edges that leave each node. */
export function bySource<Edge extends { readonly sources: readonly string[] }>(
  edges: readonly Edge[],
): ReadonlyMap<string, readonly Edge[]> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) {
    for (const source of edge.sources) {
      const found = leaving.get(source);
      if (found) found.push(edge);
      else leaving.set(source, [edge]);
    }
  }
  return leaving;
}
