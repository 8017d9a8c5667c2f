import type { RunErrorCode, TokenUsage } from '../../graph/values/index.ts';
import type { UserStack } from './user-stack.ts';

/** A global symbol, because a configuration may have loaded this module twice. */
const BRAND = Symbol.for('holdfast.CallError');

/** A classified failure of a call. */
export class CallError extends Error {
  readonly code: RunErrorCode;
  /** Another attempt may succeed. */
  readonly retryable: boolean;
  /** `no`: the callee has certainly not done the work; `perhaps`: it may have. */
  readonly done: 'no' | 'perhaps';
  readonly retryAfterMs: number | null;
  /** The callee's own name of the failure. */
  readonly reason: string | null;
  /** The stack of configured code; `null` if no such code has thrown. */
  readonly thrownAt: UserStack | null;
  /** The tokens that a model has used although the call failed; `null` if there are none, or their number is unknown. */
  readonly usage: TokenUsage | null;

  constructor(code: RunErrorCode, message: string, fields: CallErrorFields) {
    const { retryable, done, retryAfterMs, reason, thrownAt, usage, cause } = fields;
    super(message, { cause });
    this.name = 'CallError';
    this.code = code;
    this.retryable = retryable;
    this.done = done;
    this.retryAfterMs = retryAfterMs ?? null;
    this.reason = reason ?? null;
    this.thrownAt = thrownAt ?? null;
    this.usage = usage ?? null;
  }

  get [BRAND](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /**
   * Copies the error with another message and without its cause, which could reveal what the message omits.
   * @param thrownAt the public part of the stack of configured code
   */
  withMessage(message: string, thrownAt: UserStack | null = null): CallError {
    const { code, retryable, done, retryAfterMs, reason, usage } = this;
    return new CallError(code, message, { retryable, done, retryAfterMs, reason, thrownAt, usage });
  }

  /** Copies the error for a call that was possibly executed. */
  perhapsDone(): CallError {
    const { code, message, retryable, retryAfterMs, reason, thrownAt, usage, cause } = this;
    return new CallError(code, message, { retryable, done: 'perhaps', retryAfterMs, reason, thrownAt, usage, cause });
  }
}

interface CallErrorFields {
  readonly retryable: boolean;
  readonly done: 'no' | 'perhaps';
  readonly retryAfterMs?: number | null;
  readonly reason?: string | null;
  readonly thrownAt?: UserStack | null;
  readonly usage?: TokenUsage | null;
  readonly cause?: unknown;
}

/** The error of a worker that lacks what a graph names. @param what for example `tool "pay"` */
export function notConfigured(code: RunErrorCode, what: string): CallError {
  return new CallError(code, `This worker has no ${what}`, { retryable: false, done: 'no' });
}

/** The failure of a call that was canceled before its first attempt. */
export const NOT_MADE = new CallError('CANCELED', 'The call was canceled before it was made', {
  retryable: false,
  done: 'no',
});
