import type { RunErrorCode } from '../../graph/values/index.ts';
import { messageOf } from '../../graph/values/index.ts';
import { CallError } from './call-error.ts';
import { readRetryAfter } from './retry-delay.ts';

/*
 * The one table that says which failures of models and tools are worth another attempt, and whether the other side may
 * have done the work (specification, "Run-time codes" and "Configuration").
 */

export interface FailureClass {
  readonly retryable: boolean;
  readonly done: 'no' | 'perhaps';
}

export const TRY_AGAIN: FailureClass = { retryable: true, done: 'perhaps' };
/** The other side says that it has not begun. */
const TRY_AGAIN_UNDONE: FailureClass = { retryable: true, done: 'no' };
export const REFUSED: FailureClass = { retryable: false, done: 'no' };
/** No answer to what was asked, such as a redirect that is not followed. */
export const UNCLEAR: FailureClass = { retryable: false, done: 'perhaps' };

const BY_STATUS: ReadonlyMap<number, FailureClass> = new Map([
  [408, TRY_AGAIN_UNDONE],
  [425, TRY_AGAIN_UNDONE],
  [429, TRY_AGAIN_UNDONE],
]);

/** A conflict is a lock that will go away for a model, and an answer for a tool. */
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
  /** Why trying again is in vain, whatever the status; `null`: nothing says so. */
  readonly reason?: string | null;
  /** When to ask again, where the body says so and no header does. */
  readonly retryAfterMs?: number | null;
}

/**
 * An answer that is no success. A reason wins over the header `x-should-retry` of a model, which wins over the status. What
 * any server may say does not make an `unsafe` tool be called twice.
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

/** System errors after which nothing can have reached the other side. */
const NEVER_SENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);
/** These end open connections, too. */
const NEVER_SENT_BY_CONNECT: ReadonlySet<string> = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

/** A request that broke before an answer came. */
export function fromNetwork(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  // The client wraps what the guard threw.
  if (thrown instanceof Error && thrown.cause instanceof CallError) return thrown.cause;
  const error = systemErrorOf(thrown);
  const isUnsent =
    error !== null &&
    (NEVER_SENT.has(error.code) || (NEVER_SENT_BY_CONNECT.has(error.code) && error.syscall === 'connect'));
  return new CallError(code, `The connection failed: ${error?.code ?? messageOf(thrown)}`, {
    retryable: true,
    done: isUnsent ? 'no' : 'perhaps',
    cause: thrown,
  });
}

function systemErrorOf(thrown: unknown): { readonly code: string; readonly syscall: unknown } | null {
  if (!(thrown instanceof Error)) return null;
  if (!('code' in thrown) || typeof thrown.code !== 'string') return systemErrorOf(thrown.cause);
  return { code: thrown.code, syscall: 'syscall' in thrown ? thrown.syscall : null };
}

/** What code of the configuration threw: it may have done its work, and may do better next time. */
export function fromCode(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError(code, messageOf(thrown), { retryable: true, done: 'perhaps', cause: thrown });
}
