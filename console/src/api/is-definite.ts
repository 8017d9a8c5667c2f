import { HoldfastError } from 'holdfast/client';

/** True if a refused request has certainly done nothing, so that the next one is another, with a key of its own. */
export function isDefinite(error: unknown): boolean {
  return error instanceof HoldfastError && !error.mayTakeEffect;
}
