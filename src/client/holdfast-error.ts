import type { ApiErrorCode } from '../api/http/errors.ts';
import type { Problem } from './answers.ts';

/** The code of a problem document, or of a failure to reach the API. */
export type ErrorCode =
  | ApiErrorCode
  /** No response arrived. */
  | 'UNREACHABLE'
  /** The response is not from the API: a proxy answered, or the base URL is wrong. */
  | 'UNEXPECTED_ANSWER';

interface ErrorFacts {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status?: number | null | undefined;
  readonly issues?: Problem['issues'];
  readonly mayTakeEffect?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly retryAfterMs?: number | null | undefined;
  readonly cause?: unknown;
}

/** A failed request. Its message consists of the code and the detail. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: ErrorCode;
  readonly detail: string;
  /** The HTTP status; `null` if no response arrived. */
  readonly status: number | null;
  /** The problems of the request; `path` is a JSON Pointer. */
  readonly issues: NonNullable<Problem['issues']>;
  /**
   * True if the call may have been executed, or may still be; the same call with `idempotencyKey` returns its result.
   * False: it was refused and has changed nothing.
   */
  readonly mayTakeEffect: boolean;
  /** The key that was sent; `null` for a call that only reads. */
  readonly idempotencyKey: string | null;
  /** The time in milliseconds before the next request; `null` if the API states none. */
  readonly retryAfterMs: number | null;

  constructor({ code, detail, cause, ...facts }: ErrorFacts) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
    this.status = facts.status ?? null;
    this.issues = facts.issues ?? [];
    this.mayTakeEffect = facts.mayTakeEffect ?? false;
    this.idempotencyKey = facts.idempotencyKey ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/** Copies an error and adds the idempotency key of the failed call. */
export function withIdempotencyKey(
  idempotencyKey: string,
  error: HoldfastError,
  mayTakeEffect: boolean,
): HoldfastError {
  const { code, detail, status, issues, retryAfterMs, cause } = error;
  return new HoldfastError({ code, detail, status, issues, retryAfterMs, cause, idempotencyKey, mayTakeEffect });
}
