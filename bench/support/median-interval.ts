/**
 * The interval in which the median lies of what the values are a sample of, with a certainty of 95 %, by their order alone.
 * Few values give the least and the most of them.
 */
export function medianInterval(values: readonly number[]): readonly [least: number, most: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const outside = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2));
  return [sorted[outside] ?? 0, sorted.at(-1 - outside) ?? 0];
}
