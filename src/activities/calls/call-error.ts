import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError, RunErrorCode, TokenUsage } from '../../graph/values/index.ts';
import { userStackOf } from './user-stack.ts';
import type { UserStack } from './user-stack.ts';

/** A global symbol, because a configuration may have loaded this module twice. */
const CALL_ERROR_BRAND = Symbol.for('holdfast.CallError');

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

  get [CALL_ERROR_BRAND](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && CALL_ERROR_BRAND in value;
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

/** Whether a failed call may be retried, and whether its work may be done. */
export interface FailureClass {
  readonly retryable: boolean;
  readonly done: 'no' | 'perhaps';
}

export const TRY_AGAIN: FailureClass = { retryable: true, done: 'perhaps' };
/** The callee has not started: its answer says so, or it was not reached. */
export const TRY_AGAIN_UNDONE: FailureClass = { retryable: true, done: 'no' };
/** The callee has certainly not done the work, and a retry is useless. */
export const REFUSED: FailureClass = { retryable: false, done: 'no' };
/** The work may be done, and a retry is useless. */
export const UNCLEAR: FailureClass = { retryable: false, done: 'perhaps' };

interface CallErrorFields extends FailureClass {
  readonly retryAfterMs?: number | null;
  readonly reason?: string | null;
  readonly thrownAt?: UserStack | null;
  readonly usage?: TokenUsage | null;
  readonly cause?: unknown;
}

/** The error of a worker that lacks what a graph names. @param what for example `tool "pay"` */
export function notConfigured(code: RunErrorCode, what: string): CallError {
  return new CallError(code, `This worker has no ${what}`, REFUSED);
}

/** The failure of a call that was canceled before its first attempt. */
export const NOT_MADE = new CallError('CANCELED', 'The call was canceled before it was made', REFUSED);

/**
 * Returns the cause of a call's failure, and where configured code threw it.
 * @param code by default the callee's own name of the failure, or the name of the thrown error
 */
export function causeOfFailure(error: CallError, code?: string): Pick<RunError, 'cause'> {
  const stack = findUserStack(error);
  const name = code ?? error.reason ?? stack?.name;
  if (name === undefined) return {};
  return {
    cause: { code: name, message: truncate(error.message, MAX_MESSAGE), ...(stack && { stack: stack.frames }) },
  };
}

/** Finds where configured code threw an error. For an error that the code classified itself, that is its own stack. */
export function findUserStack(error: CallError): UserStack | null {
  return error.thrownAt ?? userStackOf(error);
}
