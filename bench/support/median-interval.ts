/**
 * The 95 % confidence interval of the median from which the values are sampled, by their order alone. Few values yield
 * their minimum and maximum.
 */
export function medianInterval(values: readonly number[]): readonly [least: number, most: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const outside = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2));
  return [sorted[outside] ?? 0, sorted.at(-1 - outside) ?? 0];
}
