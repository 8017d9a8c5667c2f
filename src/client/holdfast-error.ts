import type { ApiErrorCode } from '../api/http/errors.ts';
import type { Problem } from './answers.ts';

/** The code of a problem document, or of a failure on the way to the API. */
export type ErrorCode =
  | ApiErrorCode
  /** No answer came. */
  | 'UNREACHABLE'
  /** The answer is not the API's: something stands in between, or the base URL is wrong. */
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

/** A request that was not served. Its message is the code and the detail. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: ErrorCode;
  readonly detail: string;
  /** The HTTP status; `null`: no answer came. */
  readonly status: number | null;
  /** Each fault of the request; `path` is a JSON Pointer. */
  readonly issues: NonNullable<Problem['issues']>;
  /**
   * The call may have done its work, or may do it all the same; the same call with `idempotencyKey` finds out. False: it
   * was refused, and has changed nothing.
   */
  readonly mayTakeEffect: boolean;
  /** The key that was sent; `null`: the call only reads. */
  readonly idempotencyKey: string | null;
  /** The API wants to be left alone so long; `null`: it names no time. */
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
