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
  readonly status?: number | undefined;
  readonly issues?: Problem['issues'];
  readonly mayTakeEffect?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
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
  /** The request may do its work all the same; the same idempotency key finds out. */
  readonly mayTakeEffect: boolean;
  /** The API wants to be left alone so long; `null`: it names no time. */
  readonly retryAfterMs: number | null;

  constructor({ code, detail, status, issues, mayTakeEffect, retryAfterMs, cause }: ErrorFacts) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
    this.status = status ?? null;
    this.issues = issues ?? [];
    this.mayTakeEffect = mayTakeEffect ?? false;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}
