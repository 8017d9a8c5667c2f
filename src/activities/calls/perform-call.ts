import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { CallSafety } from '../../graph/definition/index.ts';
import { calleeName, isAccountable } from '../../graph/run/index.ts';
import type { CallReply, CallRequest } from '../../graph/run/index.ts';
import { canonicalJson, toJson } from '../../graph/values/index.ts';
import type { Store } from '../../store/store.ts';
import { toFailure } from './application-failure.ts';
import { CallError } from './call-error.ts';
import type { CallOutcome, CallTask } from './call-task.ts';
import { claimCall } from './claim-call.ts';
import { endByLedger } from './end-by-ledger.ts';
import { withHeartbeat } from './heartbeat.ts';
import { lostAfter } from './judge-claim.ts';
import { logFailure } from './log-failure.ts';
import { judgeCancellation, judgeFailure } from './judge-failure.ts';
import type { AttemptEnd } from './judge-failure.ts';
import type { FailedAttempt } from './judge-attempt.ts';
import { recordOutcome } from './record-outcome.ts';
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
  if ('answer' in result) return await endByLedger(store.ledger, key, result.answer);
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
  const stopRenewing = isAccountable(task) || call.safety === 'unsafe' ? startRenewal(call) : null;
  try {
    const isObsolete = limit.isCanceled() || (isCancelRequested() && !call.mayBeDone);
    if (isObsolete) return await endAttempt(call, judgeCancellation(toFailed(call, limit), NOT_MADE));
    const reply = await attempt(call, limit).catch(
      async (thrown: unknown) => await endAttempt(call, judgeFailure(toFailed(call, limit), thrown)),
    );
    await recordOutcome(() => call.store.ledger.complete(task.key, call.claim, toJson(reply)));
    return { reply, attempts: failures + 1, durationMs: Date.now() - started };
  } finally {
    limit.close();
    stopRenewing?.();
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

/** Renews the claim again and again, in case the server misses the attempt's heartbeats and schedules another one. */
function startRenewal<R extends CallRequest>({ store, task, claim }: Call<R>): () => void {
  const renew = (): void => void store.ledger.renew(task.key, claim).catch(() => undefined);
  const timer = setInterval(renew, task.request.policy.heartbeatMs / 3);
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

function toFailed<R extends CallRequest>(
  { task, safety, failures, mayBeDone }: Call<R>,
  limit: TimeLimit,
): FailedAttempt {
  return { task, safety, failures, mayBeDone, limit, isCancelRequested: isCancelRequested(), jitter: Math.random() };
}

/** Records the end of a failed attempt, and throws the failure of its activity. */
async function endAttempt<R extends CallRequest>({ store, task, claim }: Call<R>, end: AttemptEnd): Promise<never> {
  logFailure(task, end.entry);
  await recordOutcome(() => store.ledger.fail(task.key, claim, end.entry));
  throw end.error;
}

/** True if the run has canceled the call; the server then schedules no further attempt. */
function isCancelRequested(): boolean {
  return Context.current().cancellationDetails?.cancelRequested === true;
}

const NOT_MADE = new CallError('CANCELED', 'The call was canceled before it was made', {
  retryable: false,
  done: 'no',
});
