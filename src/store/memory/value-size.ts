import { remainingBytes } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** The size of a value, as JSON. */
const MAX_MEMORY_BYTES = 262_144;

/** Says why memory does not take a value. @returns `null` when it is small enough */
export function tooLargeForMemory(value: Json): string | null {
  return remainingBytes(MAX_MEMORY_BYTES, value) < 0 ? `The value has more than ${MAX_MEMORY_BYTES} bytes` : null;
}
