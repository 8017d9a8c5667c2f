const markedValues = new WeakSet<object>();

/**
 * Marks a value whose payload is to be compressed (`process/payloads/compression.ts`), because it takes much space in a
 * history, and people who look at a run in Temporal do not need it.
 * @returns the value itself
 */
export function markCompressed<T extends object>(value: T): T {
  markedValues.add(value);
  return value;
}

/** True for a value that `markCompressed` has marked. */
export function isCompressed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && markedValues.has(value);
}
