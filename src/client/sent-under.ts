import { HoldfastError } from './holdfast-error.ts';

/** Makes an error anew, with what is known of the call that has failed. */
export function sentUnder(idempotencyKey: string, error: HoldfastError, mayTakeEffect: boolean): HoldfastError {
  const { code, detail, status, issues, retryAfterMs, cause } = error;
  return new HoldfastError({ code, detail, status, issues, retryAfterMs, cause, idempotencyKey, mayTakeEffect });
}
