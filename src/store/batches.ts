/**
 * Divides items into batches in order.
 * @param maxBytes the most bytes of a batch; a larger item is a batch of its own
 */
export function inBatches<T>(
  items: readonly T[],
  maxBytes: number,
  bytesOf: (item: T) => number,
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    bytes += bytesOf(item);
    if (bytes <= maxBytes) batches.at(-1)?.push(item);
    else {
      batches.push([item]);
      bytes = bytesOf(item);
    }
  }
  return batches;
}
