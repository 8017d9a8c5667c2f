import { createHash } from 'node:crypto';
import { CancelledFailure, Context } from '@temporalio/activity';
import type { CallSafety } from '../../graph/definition/index.ts';
import { calleeName, mustReconcile } from '../../graph/run/index.ts';
import type { CallReply, CallRequest } from '../../graph/run/index.ts';
import { canonicalJson, MAX_MESSAGE, messageOf, toJson, truncate } from '../../graph/values/index.ts';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';
import type { Store } from '../../store/store.ts';
import { answerFromLedger } from './answer-from-ledger.ts';
import { toFailure, unknownOutcomeError } from './application-failure.ts';
import { CallError } from './call-error.ts';
import type { CallOutcome, CallTask } from './call-task.ts';
import { claimCall } from './claim-call.ts';
import { withHeartbeat } from './heartbeat.ts';
import { lostAfter } from './judge-claim.ts';
import { recordOutcome } from './record-outcome.ts';
import { retryDelay } from './retry-delay.ts';
import { openTimeLimit } from './time-limit.ts';
import type { CancelReason, TimeLimit } from './time-limit.ts';
import { unpackJournal } from './write-journal.ts';

/** The part of a call that depends on its kind. Claims, time limits, retries and records are the same for all. */
export interface CallKind<R extends CallRequest> {
  readonly safety: (request: R) => CallSafety;
  /** @param attempt 1 for the first */
  readonly execute: (task: CallTask<R>, signal: AbortSignal, attempt: number) => Promise<CallReply>;
}

/**
 * Makes one call by the ledger's protocol: claim, execute, record. After a crash, a later attempt returns the recorded
 * result; an `unsafe` call that was lost midway is never repeated without a person.
 * @throws ApplicationFailure with the `TaskFailure` in its details; other errors if the call was not reached
 */
export async function performCall<R extends CallRequest>(
  store: Store,
  kind: CallKind<R>,
  task: CallTask<R>,
): Promise<CallOutcome> {
  const { heartbeatMs } = task.request.policy;
  return await withHeartbeat(heartbeatMs, async () => await claimAndExecute(store, kind, task));
}

async function claimAndExecute<R extends CallRequest>(
  store: Store,
  kind: CallKind<R>,
  task: CallTask<R>,
): Promise<CallOutcome> {
  const { key, takeover, node, index, runId, tenantId, request } = task;
  const requestHash = createHash('sha256')
    .update(canonicalJson(toJson(request)))
    .digest('hex');
  const safety = kind.safety(request);
  const called = calleeName(request);
  const journal = unpackJournal(task);
  const call = { key, takeover, node, index, runId, tenantId, called, requestHash, journal };
  const claimant = { requestHash, takeover, safety, lostAfterMs: lostAfter(request.policy.heartbeatMs) };
  const { claim, result } = await claimCall(store, call, claimant).catch((error: unknown) => {
    throw error instanceof CallError
      ? toFailure({ error: { code: error.code, message: error.message }, callFailed: false })
      : error;
  });
  if ('answer' in result) return await answerFromLedger(store.ledger, key, result.answer);
  return await execute({ store, kind, task, claim, safety, ...result });
}

interface Call<R extends CallRequest> {
  readonly store: Store;
  readonly kind: CallKind<R>;
  readonly task: CallTask<R>;
  readonly claim: string;
  readonly safety: CallSafety;
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** True if an earlier attempt may have made the call. */
  readonly mayBeDone: boolean;
}

async function execute<R extends CallRequest>(call: Call<R>): Promise<CallOutcome> {
  const { task, failures } = call;
  const started = Date.now();
  const limit = openTimeLimit(task.request.policy, { context: Context.current(), ignored: ignoredReasons(call) });
  const release = isOutcomeNeeded(call) ? keepClaim(call) : null;
  try {
    const isObsolete = limit.isCanceled() || (isCancelRequested() && !call.mayBeDone);
    if (isObsolete) throw await recordCancellation(call, NOT_MADE);
    const reply = await attempt(call, limit).catch(async (thrown: unknown) => {
      throw await recordFailure(call, limit, thrown);
    });
    await recordOutcome(() => call.store.ledger.complete(task.key, call.claim, toJson(reply)));
    return { reply, attempts: failures + 1, durationMs: Date.now() - started };
  } finally {
    limit.close();
    release?.();
  }
}

/**
 * Cancel reasons that don't stop an attempt. An unsafe call continues if the server misses its heartbeats, because no
 * other attempt may replace it. A compensable call continues if its run is canceled, because its result is needed.
 */
function ignoredReasons<R extends CallRequest>({ task, safety }: Call<R>): readonly CancelReason[] {
  return [
    ...(safety === 'unsafe' ? (['notFound', 'timedOut'] as const) : []),
    ...(task.isCompensable ? (['cancelRequested'] as const) : []),
  ];
}

/** True if the outcome must be known even if the run is canceled. */
function isOutcomeNeeded<R extends CallRequest>({ task, safety }: Call<R>): boolean {
  return mustReconcile(task) || safety === 'unsafe';
}

/** Keeps the claim alive for other attempts, in case the server missed this attempt's heartbeats. */
function keepClaim<R extends CallRequest>({ store, task, claim }: Call<R>): () => void {
  const keep = (): void => void store.ledger.keep(task.key, claim).catch(() => undefined);
  const timer = setInterval(keep, task.request.policy.heartbeatMs / 3);
  return () => clearInterval(timer);
}

async function attempt<R extends CallRequest>({ kind, task, failures }: Call<R>, limit: TimeLimit): Promise<CallReply> {
  if (limit.isExpired)
    throw new CallError('TIMEOUT', 'The deadline for all attempts is over', { retryable: false, done: 'no' });
  const reply = await limit.bound(kind.execute(task, limit.signal, failures + 1));
  // A reply that is too large must fail here: the server would refuse it in every attempt.
  const bytes = Buffer.byteLength(JSON.stringify(toJson(reply)));
  if (bytes <= MAX_REPLY_BYTES) return reply;
  throw new CallError('PAYLOAD_TOO_LARGE', `The result takes ${bytes} bytes; ${MAX_REPLY_BYTES} are allowed`, {
    retryable: false,
    done: 'perhaps',
  });
}

/** A reply becomes part of the run's state. */
const MAX_REPLY_BYTES = 5_000_000;

/** Records a failure. @returns the failure that ends the activity, for a retry or for good */
async function recordFailure<R extends CallRequest>(call: Call<R>, limit: TimeLimit, thrown: unknown): Promise<Error> {
  const { store, task, claim } = call;
  const failure = toCallError(thrown);
  const attempts = limit.isExpired ? call.failures : call.failures + 1;
  if (isOutcomeUnknown(call, failure)) return await endAsUnknown(call, failure, attempts);
  if (limit.isCanceled()) return await recordCancellation(call, failure);
  const error: RunError = {
    code: failure.code,
    message: truncate(failure.message, MAX_MESSAGE),
    attempts,
    ...causeOf(failure),
  };
  const callFailed = task.request.kind === 'model' || isKnownUndone(call, failure);
  const delayMs = retryDelay(task.request.policy.retry, attempts, failure.retryAfterMs);
  if (!isCancelRequested() && mayTryAgain(task, failure, attempts) && limit.allows(delayMs)) {
    const nextAttemptAt = new Date(Date.now() + delayMs).toISOString();
    const retryFailure = { error, callFailed };
    await recordOutcome(() =>
      store.ledger.fail(task.key, claim, {
        status: 'retrying',
        failures: attempts,
        failure: retryFailure,
        nextAttemptAt,
      }),
    );
    return toFailure(retryFailure, delayMs);
  }
  return await endWith(call, { status: 'failed', attempts }, { error, callFailed });
}

/** True if a person must find out the outcome: the call can't be repeated, or its canceled run would compensate it. */
function isOutcomeUnknown<R extends CallRequest>({ task, safety, mayBeDone }: Call<R>, { done }: CallError): boolean {
  if (safety === 'unsafe') return done === 'perhaps';
  return task.isCompensable === true && isCancelRequested() && (mayBeDone || done === 'perhaps');
}

/** True if no attempt has done any work. */
function isKnownUndone<R extends CallRequest>({ mayBeDone }: Call<R>, { done }: CallError): boolean {
  return done === 'no' && !mayBeDone;
}

async function endAsUnknown<R extends CallRequest>(
  call: Call<R>,
  failure: CallError,
  attempts: number,
): Promise<Error> {
  const error = unknownOutcomeError(failure.message, attempts, failure);
  return await endWith(call, { status: 'unknown', attempts }, { error, callFailed: false });
}

async function endWith<R extends CallRequest>(
  { store, task, claim }: Call<R>,
  { status, attempts }: { readonly status: 'failed' | 'unknown'; readonly attempts: number },
  failure: TaskFailure,
): Promise<Error> {
  await recordOutcome(() => store.ledger.fail(task.key, claim, { status, failures: attempts, failure }));
  return toFailure(failure);
}

/**
 * Records a canceled attempt. It ends the call if the run has canceled it. Otherwise the worker is shutting down or the
 * server has missed its heartbeats, and another attempt continues.
 */
async function recordCancellation<R extends CallRequest>(call: Call<R>, thrown: CallError): Promise<Error> {
  const { store, task, claim, failures } = call;
  const isOver = isCancelRequested();
  if (isOver && call.mayBeDone && isOutcomeNeeded(call)) return await endAsUnknown(call, thrown, failures);
  const error: RunError = {
    code: 'CANCELED',
    message: isOver ? thrown.message : LEFT_TO_RETRY,
    attempts: failures + 1,
  };
  const failure: TaskFailure = { error, callFailed: isKnownUndone(call, thrown) };
  const status = isOver ? 'failed' : 'retrying';
  await recordOutcome(() => store.ledger.fail(task.key, claim, { status, failures, failure }));
  return isOver ? new CancelledFailure('The call was canceled') : toFailure(failure, RETRY_AT_ONCE_MS);
}

/** True if the run has canceled the call; the server then schedules no further attempt. */
function isCancelRequested(): boolean {
  return Context.current().cancellationDetails?.cancelRequested === true;
}

const NOT_MADE = new CallError('CANCELED', 'The call was canceled before it was made', {
  retryable: false,
  done: 'no',
});
const LEFT_TO_RETRY = 'The worker leaves the call to another attempt';
const RETRY_AT_ONCE_MS = 1;

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
