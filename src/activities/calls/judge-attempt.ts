import type { CallSafety, RetryPolicy } from '../../graph/definition/index.ts';
import { needsSettlement } from '../../graph/run/index.ts';
import type { CallReply } from '../../graph/run/index.ts';
import { MAX_MESSAGE, messageOf, truncate } from '../../graph/values/index.ts';
import type { TaskFailure, TokenUsage, RunError } from '../../graph/values/index.ts';
import { CallError, causeOfFailure, UNCLEAR } from './call-error.ts';
import type { CallTask } from './call-task.ts';
import type { TimeLimit } from './time-limit.ts';

/** An attempt that has failed or was canceled. */
export interface AttemptToJudge {
  readonly task: Pick<CallTask, 'request' | 'isCompensable'>;
  readonly safety: CallSafety;
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** True if an earlier attempt may have made the call. */
  readonly mayBeDone: boolean;
  /** The tokens of a model that earlier attempts used. */
  readonly usedBefore: TokenUsage | null;
  readonly limit: Pick<TimeLimit, 'isCanceled' | 'isExpired' | 'allows'>;
  /** True if the run has canceled the call; no further attempt follows then. */
  readonly isCancelRequested: boolean;
  /** A number from 0 to 1 that varies the delay of the next attempt; 0.5 changes nothing. */
  readonly jitter: number;
}

/** The verdict on a failed attempt. */
export type AttemptVerdict = EndVerdict | RetryVerdict;

interface FailedAttempt {
  /** Number of failed attempts, this one included. */
  readonly failures: number;
  readonly failure: TaskFailure;
}

interface EndVerdict extends FailedAttempt {
  readonly status: 'failed' | 'unknown' | 'canceled';
}

/** Another attempt follows after the delay. */
export interface RetryVerdict extends FailedAttempt {
  readonly status: 'retrying';
  readonly delayMs: number;
}

/** Judges a failed attempt: the call is tried again, has failed, or its outcome is unknown. */
export function judgeAttempt(attempt: AttemptToJudge, thrown: unknown): AttemptVerdict {
  const { task, limit, isCancelRequested } = attempt;
  const error = asCallError(thrown);
  const failures = limit.isExpired ? attempt.failures : attempt.failures + 1;
  const usage = sumUsage(attempt.usedBefore, error.usage);
  if (leavesOutcomeUnknown(attempt, error)) return unknownOutcomeVerdict(error, failures);
  if (limit.isCanceled()) return judgeCanceledAttempt(attempt, error);
  const failure: TaskFailure = {
    error: {
      code: error.code,
      message: truncate(error.message, MAX_MESSAGE),
      attempts: failures,
      ...causeOfFailure(error),
    },
    callFailed: task.request.kind === 'model' || isKnownUndone(attempt, error),
    ...(usage && { usage }),
  };
  const delayMs = retryDelay(task.request.policy.retry, failures, error.retryAfterMs, attempt.jitter);
  const isFinal = isCancelRequested || !mayTryAgain(attempt, error, failures) || !limit.allows(delayMs);
  return isFinal ? { status: 'failed', failures, failure } : { status: 'retrying', failures, failure, delayMs };
}

/**
 * Judges a canceled attempt. It ends the call if the run has canceled it. Otherwise the worker is shutting down or the
 * server has missed its heartbeats, and another attempt continues.
 */
export function judgeCanceledAttempt(attempt: AttemptToJudge, error: CallError): AttemptVerdict {
  const { task, safety, failures, mayBeDone, isCancelRequested } = attempt;
  if (isCancelRequested && mayBeDone && (needsSettlement(task) || safety === 'unsafe'))
    return unknownOutcomeVerdict(error, failures);
  const message = isCancelRequested ? error.message : LEFT_TO_RETRY;
  // A run receives no result of a call that it has canceled.
  const usage = isCancelRequested ? null : sumUsage(attempt.usedBefore, error.usage);
  const failure: TaskFailure = {
    error: { code: 'CANCELED', message, attempts: failures + 1 },
    callFailed: isKnownUndone(attempt, error),
    ...(usage && { usage }),
  };
  return isCancelRequested
    ? { status: 'canceled', failures, failure }
    : { status: 'retrying', failures, failure, delayMs: RETRY_AT_ONCE_MS };
}

const LEFT_TO_RETRY = 'The worker leaves the call to another attempt';
const RETRY_AT_ONCE_MS = 1;

function unknownOutcomeVerdict(error: CallError, failures: number): AttemptVerdict {
  const failure = { error: unknownOutcomeError(error.message, failures, error), callFailed: false };
  return { status: 'unknown', failures, failure };
}

/** True if a person must find out the outcome: the call can't be repeated, or its canceled run would compensate it. */
function leavesOutcomeUnknown(
  { task, safety, mayBeDone, isCancelRequested }: AttemptToJudge,
  { done }: CallError,
): boolean {
  if (safety === 'unsafe') return done === 'perhaps';
  return task.isCompensable === true && isCancelRequested && (mayBeDone || done === 'perhaps');
}

/** True if no attempt has done any work. */
function isKnownUndone({ mayBeDone }: AttemptToJudge, { done }: CallError): boolean {
  return done === 'no' && !mayBeDone;
}

function mayTryAgain({ task }: AttemptToJudge, { code, retryable }: CallError, failures: number): boolean {
  const { maxAttempts, nonRetryable } = task.request.policy.retry;
  return retryable && failures < maxAttempts && !nonRetryable.includes(code);
}

function asCallError(thrown: unknown): CallError {
  return thrown instanceof CallError
    ? thrown
    : new CallError('INTERNAL', messageOf(thrown), { ...UNCLEAR, cause: thrown });
}

/** Share by which delays vary, so that calls that failed together are not retried together. */
const DELAY_JITTER = 0.2;

/**
 * Computes the delay before the next attempt: exponential backoff with jitter, at least as long as the callee asks for.
 * @param failures number of failed attempts, the latest included
 * @param retryAfterMs the delay that the callee asks for
 * @param jitter a number from 0 to 1 that varies the backoff
 * @returns milliseconds
 */
export function retryDelay(policy: RetryPolicy, failures: number, retryAfterMs: number | null, jitter: number): number {
  const backoff =
    policy.initialMs === 0 ? 0 : Math.min(policy.maxMs, policy.initialMs * policy.coefficient ** (failures - 1));
  const jittered = Math.min(policy.maxMs, backoff * (1 - DELAY_JITTER / 2 + DELAY_JITTER * jitter));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_CALLEE_RETRY_AFTER_MS)));
}

/** Upper limit of the delay that a callee may ask for. */
const MAX_CALLEE_RETRY_AFTER_MS = 600_000;

/** The error of a call whose outcome is unknown. */
export function unknownOutcomeError(message: string, attempts: number, failure?: CallError): RunError {
  return {
    code: 'UNKNOWN_OUTCOME',
    message: `It is unknown whether the call was made: ${truncate(message, MAX_MESSAGE)}`,
    attempts,
    ...(failure && causeOfFailure(failure, failure.code)),
  };
}

/** Sums the usage of attempts; `null` if unknown or none. */
function sumUsage(one: TokenUsage | null, other: TokenUsage | null): TokenUsage | null {
  if (!one || !other) return one ?? other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** Adds the usage of earlier attempts to the reply of a model. */
export function withUsedBefore(reply: CallReply, usedBefore: TokenUsage | null): CallReply {
  return reply.kind === 'model' && usedBefore
    ? { ...reply, usage: sumUsage(usedBefore, reply.usage) ?? reply.usage }
    : reply;
}

/** The usage of a reply; `null` if it is not a model's. */
export function replyUsage(reply: CallReply): TokenUsage | null {
  return reply.kind === 'model' ? reply.usage : null;
}
