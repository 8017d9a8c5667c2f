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

const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [408, TRY_AGAIN_UNDONE],
  [425, TRY_AGAIN_UNDONE],
  [429, TRY_AGAIN_UNDONE],
]);

/** A conflict is a lock that will go away for a model, and an answer for a tool. */
const BY_STATUS_OF_MODELS: ReadonlyMap<number, Verdict> = new Map([...BY_STATUS, [409, TRY_AGAIN]]);

function verdictOf(status: number, callee: 'model' | 'tool'): Verdict {
  const table = callee === 'model' ? BY_STATUS_OF_MODELS : BY_STATUS;
  return table.get(status) ?? (status >= 500 ? TRY_AGAIN : REFUSED);
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
  return new CallError(code, message, { retryable, done: verdict.done, retryAfterMs: readRetryAfter(headers, Date.now()) });
}

/** System errors after which nothing can have reached the other side. */
const NEVER_SENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** A request that broke before an answer came. */
export function fromNetwork(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  const systemCode = systemCodeOf(thrown);
  const done = systemCode !== null && NEVER_SENT.has(systemCode) ? 'no' : 'perhaps';
  return new CallError(code, `The connection failed: ${systemCode ?? messageOf(thrown)}`, { retryable: true, done, cause: thrown });
}

function systemCodeOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return systemCodeOf(thrown.cause);
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
