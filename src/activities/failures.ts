import type { RunErrorCode } from '../graph/errors.ts';
import { CallError } from './call-error.ts';
import { readRetryAfter } from './retry-delay.ts';

/*
 * The one table that says which failures of models and tools are worth another attempt, and whether the other side may
 * have done the work (specification, "Run-time codes" and "Configuration").
 */

interface Verdict {
  readonly retryable: boolean;
  readonly done: 'no' | 'perhaps';
}

const TRY_AGAIN: Verdict = { retryable: true, done: 'perhaps' };
/** The other side says that it has not begun. */
const TRY_AGAIN_UNDONE: Verdict = { retryable: true, done: 'no' };
const REFUSED: Verdict = { retryable: false, done: 'no' };
/** No answer to what was asked, such as a redirect. */
const UNCLEAR: Verdict = { retryable: false, done: 'perhaps' };

const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [408, TRY_AGAIN_UNDONE],
  [425, TRY_AGAIN_UNDONE],
  [429, TRY_AGAIN_UNDONE],
]);

/** A conflict is a lock that will go away for a model, and an answer for a tool. */
const BY_STATUS_OF_MODELS: ReadonlyMap<number, Verdict> = new Map([...BY_STATUS, [409, TRY_AGAIN]]);

function verdictOf(status: number, callee: 'model' | 'tool'): Verdict {
  const table = callee === 'model' ? BY_STATUS_OF_MODELS : BY_STATUS;
  return table.get(status) ?? (status >= 500 ? TRY_AGAIN : status >= 400 ? REFUSED : UNCLEAR);
}

export interface HttpFailure {
  readonly code: RunErrorCode;
  readonly callee: 'model' | 'tool';
  readonly message: string;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** An answer that is no success. The header `x-should-retry` wins over the status. */
export function fromStatus({ code, callee, message, status, headers }: HttpFailure): CallError {
  const verdict = verdictOf(status, callee);
  const told = headers.get('x-should-retry');
  const retryable = told === null ? verdict.retryable : told === 'true';
  return new CallError(code, message, {
    retryable,
    done: verdict.done,
    retryAfterMs: readRetryAfter(headers, Date.now()),
  });
}

/** System errors after which nothing can have reached the other side. */
const NEVER_SENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);
/** These end open connections, too. */
const NEVER_SENT_BY_CONNECT: ReadonlySet<string> = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

/** A request that broke before an answer came. */
export function fromNetwork(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
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

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
