import type { HoldfastError } from '../holdfast-error.ts';

/** Refusals of a caller or of load: the API answers so without a look at what the key has done. */
const BEFORE_KEY: ReadonlySet<number | null> = new Set([401, 403, 429]);

/**
 * Returns whether a request may have been done, after an attempt that was not served.
 * @param before if an earlier attempt with the key may have been; a refusal answers for it where the API knows the key
 */
export function mayBeDone(method: string, error: HoldfastError, before: boolean): boolean {
  if (method === 'GET') return false;
  if (!isRefusal(error)) return true;
  // A deletion has no answer that is kept: after one that was done, the next finds nothing.
  return before && (method === 'DELETE' || BEFORE_KEY.has(error.status));
}

/** Refused requests have changed nothing. Any other may be done, or be under way. */
function isRefusal({ status, code, mayTakeEffect }: HoldfastError): boolean {
  if (status === null || mayTakeEffect || code === 'REQUEST_IN_PROGRESS') return false;
  return status >= 400 && status < 500;
}
