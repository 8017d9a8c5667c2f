import type { RunErrorCode } from '../../graph/values/index.ts';
import { messageOf } from '../../graph/values/index.ts';
import { isUnsent, systemErrorOf } from './system-error.ts';
import { CallError } from './call-error.ts';
import { readRetryAfter } from './retry-delay.ts';
import { userStackOf } from './stacks/user-stack.ts';

/*
 * The one table of failures of models and tools: which ones to retry, and whether the callee may have done the work
 * (specification, "Run-time codes" and "Configuration").
 */

export interface FailureClass {
  readonly retryable: boolean;
  readonly done: 'no' | 'perhaps';
}

export const TRY_AGAIN: FailureClass = { retryable: true, done: 'perhaps' };
/** The callee has not begun: it says so, or it was not reached. */
const TRY_AGAIN_UNDONE: FailureClass = { retryable: true, done: 'no' };
export const REFUSED: FailureClass = { retryable: false, done: 'no' };
/** A response without an answer, such as a redirect that is not followed. */
export const UNCLEAR: FailureClass = { retryable: false, done: 'perhaps' };

const BY_STATUS: ReadonlyMap<number, FailureClass> = new Map([
  [408, TRY_AGAIN_UNDONE],
  [425, TRY_AGAIN_UNDONE],
  [429, TRY_AGAIN_UNDONE],
]);

/** 409 from a model is a lock that will be released; from a tool it is an answer. */
const BY_STATUS_OF_MODELS: ReadonlyMap<number, FailureClass> = new Map([...BY_STATUS, [409, TRY_AGAIN]]);

function classifyStatus(status: number, callee: 'model' | 'tool'): FailureClass {
  const table = callee === 'model' ? BY_STATUS_OF_MODELS : BY_STATUS;
  return table.get(status) ?? (status >= 500 ? TRY_AGAIN : status >= 400 ? REFUSED : UNCLEAR);
}

export interface HttpFailure {
  readonly code: RunErrorCode;
  readonly callee: 'model' | 'tool';
  readonly message: string;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A reason that makes a retry useless at any status; `null` if there is none. */
  readonly reason?: string | null;
  /** Delay before a retry that the body asks for; headers take precedence. */
  readonly retryAfterMs?: number | null;
}

/**
 * Converts an unsuccessful response. A reason takes precedence over a model's `x-should-retry` header, which takes
 * precedence over the status. No header makes an `unsafe` tool call repeat.
 */
export function fromStatus(failure: HttpFailure): CallError {
  const { code, callee, message, status, headers, reason = null, retryAfterMs = null } = failure;
  const failureClass = reason === null ? classifyStatus(status, callee) : REFUSED;
  const shouldRetry = callee === 'model' && reason === null ? headers.get('x-should-retry') : null;
  return new CallError(code, message, {
    retryable: shouldRetry === null ? failureClass.retryable : shouldRetry === 'true',
    done: failureClass.done,
    retryAfterMs: readRetryAfter(headers, Date.now()) ?? retryAfterMs,
    reason,
  });
}

/** The HTTP client refuses the request itself. It says so before it connects, and names no value. */
const NOT_SENDABLE = 'UND_ERR_INVALID_ARG';

/** Converts an error of a request that broke before its response. */
export function fromNetwork(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  // The HTTP client wraps errors of the guard.
  if (thrown instanceof Error && thrown.cause instanceof CallError) return thrown.cause;
  const error = systemErrorOf(thrown);
  if (error?.code === NOT_SENDABLE)
    return new CallError(code, `The request can't be sent: ${error.message}`, { ...REFUSED, cause: thrown });
  const failureClass = isUnsent(error) ? TRY_AGAIN_UNDONE : TRY_AGAIN;
  const message = `The connection failed: ${error?.code ?? messageOf(thrown)}`;
  return new CallError(code, message, { ...failureClass, cause: thrown });
}

/**
 * Converts an error of configured code: the work may be done, and a retry may succeed unless the code itself is wrong.
 * The error keeps the place where it was thrown.
 */
export function fromCode(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  const [retryable, thrownAt] = [!isMistake(thrown), userStackOf(thrown)];
  return new CallError(code, messageOf(thrown), { retryable, done: 'perhaps', thrownAt, cause: thrown });
}

const MISTAKES: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'SyntaxError']);

/** True if the same code would throw the same error again. A `TypeError` that `fetch` throws tells of the network. */
export function isMistake(thrown: unknown): boolean {
  return thrown instanceof Error && MISTAKES.has(thrown.name) && systemErrorOf(thrown.cause) === null;
}
