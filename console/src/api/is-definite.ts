import { HoldfastError } from 'holdfast/client';

/** True if a refused request has certainly done nothing, so that the next one is another, with a key of its own. */
export function isDefinite(error: unknown): boolean {
  if (!(error instanceof HoldfastError) || error.mayTakeEffect || error.status === null) return false;
  return error.status < 500 && error.code !== 'REQUEST_IN_PROGRESS';
}
