import { CancelledFailure } from '@temporalio/activity';
import type { CallSafety } from '../../graph/definition/index.ts';
import { needsSettlement } from '../../graph/run/index.ts';
import { MAX_MESSAGE, messageOf, truncate } from '../../graph/values/index.ts';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';
import type { LedgerFailure } from '../../store/ledger.ts';
import { toFailure, unknownOutcomeError } from './application-failure.ts';
import { CallError } from './call-error.ts';
import type { CallTask } from './call-task.ts';
import { retryDelay } from './retry-delay.ts';
import type { TimeLimit } from './time-limit.ts';

/** An attempt that has failed or was canceled. */
export interface FailedAttempt {
  readonly task: CallTask;
  readonly safety: CallSafety;
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** True if an earlier attempt may have made the call. */
  readonly mayBeDone: boolean;
  readonly limit: Pick<TimeLimit, 'isCanceled' | 'isExpired' | 'allows'>;
  /** True if the run has canceled the call; the server then schedules no further attempt. */
  readonly isCancelRequested: boolean;
}

/** The end of a failed attempt: its record in the ledger, and the failure of its activity. */
export interface AttemptEnd {
  readonly entry: LedgerFailure;
  /** The server retries it, unless it is final. */
  readonly error: Error;
}

/** Judges a failed attempt: the call is tried again, has failed, or its outcome is unknown. */
export function judgeFailure(attempt: FailedAttempt, thrown: unknown): AttemptEnd {
  const { task, limit, isCancelRequested } = attempt;
  const failure = toCallError(thrown);
  const attempts = limit.isExpired ? attempt.failures : attempt.failures + 1;
  if (isOutcomeUnknown(attempt, failure)) return endUnknown(failure, attempts);
  if (limit.isCanceled()) return judgeCancellation(attempt, failure);
  const taskFailure: TaskFailure = {
    error: {
      code: failure.code,
      message: truncate(failure.message, MAX_MESSAGE),
      attempts,
      ...causeOf(failure),
    },
    callFailed: task.request.kind === 'model' || isKnownUndone(attempt, failure),
  };
  const delayMs = retryDelay(task.request.policy.retry, attempts, failure.retryAfterMs);
  const isFinal = isCancelRequested || !mayTryAgain(task, failure, attempts) || !limit.allows(delayMs);
  if (isFinal) return endWith({ status: 'failed', failures: attempts, failure: taskFailure });
  const nextAttemptAt = new Date(Date.now() + delayMs).toISOString();
  return {
    entry: { status: 'retrying', failures: attempts, failure: taskFailure, nextAttemptAt },
    error: toFailure(taskFailure, delayMs),
  };
}

/**
 * Judges a canceled attempt. It ends the call if the run has canceled it. Otherwise the worker is shutting down or the
 * server has missed its heartbeats, and another attempt continues.
 */
export function judgeCancellation(attempt: FailedAttempt, error: CallError): AttemptEnd {
  const { task, safety, failures, mayBeDone, isCancelRequested } = attempt;
  if (isCancelRequested && mayBeDone && (needsSettlement(task) || safety === 'unsafe'))
    return endUnknown(error, failures);
  const message = isCancelRequested ? error.message : LEFT_TO_RETRY;
  const failure: TaskFailure = {
    error: { code: 'CANCELED', message, attempts: failures + 1 },
    callFailed: isKnownUndone(attempt, error),
  };
  return isCancelRequested
    ? { entry: { status: 'failed', failures, failure }, error: new CancelledFailure('The call was canceled') }
    : { entry: { status: 'retrying', failures, failure }, error: toFailure(failure, RETRY_AT_ONCE_MS) };
}

const LEFT_TO_RETRY = 'The worker leaves the call to another attempt';
const RETRY_AT_ONCE_MS = 1;

function endUnknown(error: CallError, failures: number): AttemptEnd {
  const failure = { error: unknownOutcomeError(error.message, failures, error), callFailed: false };
  return endWith({ status: 'unknown', failures, failure });
}

function endWith(entry: LedgerFailure): AttemptEnd {
  return { entry, error: toFailure(entry.failure) };
}

/** True if a person must find out the outcome: the call can't be repeated, or its canceled run would compensate it. */
function isOutcomeUnknown({ task, safety, mayBeDone, isCancelRequested }: FailedAttempt, { done }: CallError): boolean {
  if (safety === 'unsafe') return done === 'perhaps';
  return task.isCompensable === true && isCancelRequested && (mayBeDone || done === 'perhaps');
}

/** True if no attempt has done any work. */
function isKnownUndone({ mayBeDone }: FailedAttempt, { done }: CallError): boolean {
  return done === 'no' && !mayBeDone;
}

function mayTryAgain({ request }: CallTask, { code, retryable }: CallError, attempts: number): boolean {
  const { maxAttempts, nonRetryable } = request.policy.retry;
  return retryable && attempts < maxAttempts && !nonRetryable.includes(code);
}

function toCallError(thrown: unknown): CallError {
  return thrown instanceof CallError
    ? thrown
    : new CallError('INTERNAL', messageOf(thrown), { retryable: false, done: 'perhaps', cause: thrown });
}

function causeOf({ reason, message }: CallError): Pick<RunError, 'cause'> {
  return reason === null ? {} : { cause: { code: reason, message: truncate(message, MAX_MESSAGE) } };
}
