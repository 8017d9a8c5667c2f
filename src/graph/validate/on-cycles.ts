/** A directed graph: the targets of each vertex. */
type Targets<V> = ReadonlyMap<V, readonly V[]>;

/**
 * Finds in linear time the vertices that may be on a cycle: those on one, and those on a way from one to another.
 * @see Kahn, Topological sorting of large networks, 1962
 */
export function onCycles<V>(targets: Targets<V>): ReadonlySet<V> {
  const reached = withoutStarts(targets);
  return new Set(withoutStarts(reversed(reached)).keys());
}

/** Takes away each vertex that nothing leads to, until there is none. */
function withoutStarts<V>(targets: Targets<V>): Targets<V> {
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

function reversed<V>(targets: Targets<V>): Targets<V> {
  const sources = new Map<V, V[]>([...targets.keys()].map((vertex) => [vertex, []]));
  for (const [vertex, reached] of targets) for (const target of reached) sources.get(target)?.push(vertex);
  return sources;
}
