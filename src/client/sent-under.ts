import { HoldfastError } from './holdfast-error.ts';

/** Copies an error and adds the idempotency key of the failed call. */
export function sentUnder(idempotencyKey: string, error: HoldfastError, mayTakeEffect: boolean): HoldfastError {
  const { code, detail, status, issues, retryAfterMs, cause } = error;
  return new HoldfastError({ code, detail, status, issues, retryAfterMs, cause, idempotencyKey, mayTakeEffect });
}
