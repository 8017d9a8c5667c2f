import type { RunErrorCode } from '../../graph/values/index.ts';

/** A call that failed, classified. */
export class CallError extends Error {
  readonly code: RunErrorCode;
  /** Trying again may help. */
  readonly retryable: boolean;
  /** Whether the other side may have done the work: `no` when nothing can have reached it, or it said that it did not. */
  readonly done: 'no' | 'perhaps';
  readonly retryAfterMs: number | null;
  /** What the other side calls it. */
  readonly reason: string | null;

  constructor(code: RunErrorCode, message: string, { retryable, done, retryAfterMs, reason, cause }: CallErrorFields) {
    super(message, { cause });
    this.name = 'CallError';
    this.code = code;
    this.retryable = retryable;
    this.done = done;
    this.retryAfterMs = retryAfterMs ?? null;
    this.reason = reason ?? null;
  }

  /** The same failure in other words, without its cause, which might say what the words leave out. */
  withMessage(message: string): CallError {
    const { code, retryable, done, retryAfterMs, reason } = this;
    return new CallError(code, message, { retryable, done, retryAfterMs, reason });
  }

  /** The same failure of a call that may have been done all the same. */
  perhapsDone(): CallError {
    const { code, message, retryable, retryAfterMs, reason, cause } = this;
    return new CallError(code, message, { retryable, done: 'perhaps', retryAfterMs, reason, cause });
  }
}

interface CallErrorFields {
  readonly retryable: boolean;
  readonly done: 'no' | 'perhaps';
  readonly retryAfterMs?: number | null;
  readonly reason?: string | null;
  readonly cause?: unknown;
}

/** A graph names what the worker that was given the call does not have. @param what such as `tool "pay"` */
export function notConfigured(code: RunErrorCode, what: string): CallError {
  return new CallError(code, `This worker has no ${what}`, { retryable: false, done: 'no' });
}
