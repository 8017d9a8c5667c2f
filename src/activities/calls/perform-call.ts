import { createHash } from 'node:crypto';
import { Context, CancelledFailure } from '@temporalio/activity';
import type { CallSafety } from '../../graph/definition/index.ts';
import { calleeName, isAccountable } from '../../graph/run/index.ts';
import type { CallRequest } from '../../graph/run/index.ts';
import { canonicalJson, toJson } from '../../graph/values/index.ts';
import type { TokenUsage } from '../../graph/values/index.ts';
import type { Store } from '../../store/store.ts';
import { toApplicationFailure, toRefusedFailure } from './application-failure.ts';
import { CallError, NOT_MADE } from './call-error.ts';
import type { CallOutcome, CallTask, LocalFailure } from './call-task.ts';
import { claimedRecord, unclaimedRecord } from './call-record.ts';
import type { CallRecord, LedgerTerms } from './call-record.ts';
import { claimCall } from './claim-call.ts';
import { endByLedger } from './reconcile-call.ts';
import { withHeartbeat, openTimeLimit } from './time-limit.ts';
import type { CancelReason, TimeLimit } from './time-limit.ts';
import { lostAfterSilenceMs } from './judge-claim.ts';
import { reportFailure } from './report-failure.ts';
import { journalSender, openLateJournal } from './write-journal.ts';
import { openKeptRequest, makeAttempt } from './make-attempt.ts';
import type { Attempt, CallBehavior } from './make-attempt.ts';
import { withUsedBefore, judgeAttempt, judgeCanceledAttempt } from './judge-attempt.ts';
import type { AttemptToJudge, AttemptVerdict } from './judge-attempt.ts';
import type { LedgerFailure } from '../../store/calls/ledger.ts';

/**
 * Makes one call by the ledger's protocol: claim, execute, record; `needsNoClaim` decides which calls skip the claim. After a
 * crash, a later attempt returns the recorded result. An `unsafe` call that was lost midway is never repeated without a person.
 * @throws ApplicationFailure with the `TaskFailure` in its details; other errors if the call was not reached
 */
export async function performCall<R extends CallRequest>(
  store: Store,
  kind: CallBehavior<R>,
  task: CallTask<R>,
): Promise<CallOutcome> {
  const called = { store, kind, task, safety: kind.safety(task.request) };
  const perform = needsNoClaim(task, called.safety) ? executeUnclaimed : claimAndExecute;
  return await withHeartbeat(task.request.policy.heartbeatMs, async () => await perform(called));
}

interface RequestedCall<R extends CallRequest> {
  readonly store: Store;
  readonly kind: CallBehavior<R>;
  readonly task: CallTask<R>;
  readonly safety: CallSafety;
}

async function executeUnclaimed<R extends CallRequest>(called: RequestedCall<R>): Promise<CallOutcome> {
  const { store, task } = called;
  const journal = openLateJournal(store, task);
  const { keep, kept } = openKeptRequest(task.request);
  const record = unclaimedRecord({ store, task, journal, kept, ...ledgerTerms(called) });
  try {
    const mayBeDone = task.perhapsMadeLocally === true;
    return await executeCall({ ...called, record, keep, failures: 0, usedBefore: null, mayBeDone });
  } finally {
    journal.close();
  }
}

async function claimAndExecute<R extends CallRequest>(called: RequestedCall<R>): Promise<CallOutcome> {
  const { store, task } = called;
  const { call, claimant } = ledgerTerms(called);
  const { keep, kept } = openKeptRequest(task.request);
  const wasPerhapsMade = task.perhapsMadeLocally ?? (mayLackClaim(task) && Context.current().info.attempt > 1);
  const { claim, result } = await claimCall(
    store,
    { ...call, request: kept(), journal: journalSender(task) },
    { ...claimant, wasPerhapsMade },
  ).catch((error: unknown) => {
    throw error instanceof CallError ? toRefusedFailure(error) : error;
  });
  if ('answer' in result) return await endByLedger(store.ledger, task.key, result.answer);
  const record = claimedRecord(store.ledger, { key: task.key, claim, kept });
  return await executeCall({ ...called, record, keep, ...result });
}

/** The fields of the call for the ledger. */
function ledgerTerms<R extends CallRequest>({ task, safety }: RequestedCall<R>): LedgerTerms {
  const { key, takeover, node, index, runId, tenantId, request } = task;
  const requestHash = createHash('sha256')
    .update(canonicalJson(toJson(request)))
    .digest('hex');
  return {
    call: { key, takeover, node, index, runId, tenantId, called: calleeName(request), requestHash },
    claimant: { requestHash, takeover, safety, lostAfterMs: lostAfterSilenceMs(request.policy.heartbeatMs) },
  };
}

interface PerformedCall<R extends CallRequest> extends RequestedCall<R>, Attempt<R> {
  readonly record: CallRecord;
  /** True if an earlier attempt may have made the call. */
  readonly mayBeDone: boolean;
  readonly usedBefore: TokenUsage | null;
}

async function executeCall<R extends CallRequest>(call: PerformedCall<R>): Promise<CallOutcome> {
  const { store, task, failures, record } = call;
  const started = Date.now();
  const limit = openTimeLimit(task.request.policy, Context.current(), ignoredReasons(call));
  const stopRenewing = isAccountable(task) || call.safety === 'unsafe' ? startRenewal(call) : null;
  try {
    const isObsolete = limit.isCanceled() || (isCancelRequested() && !call.mayBeDone);
    if (isObsolete)
      return await endAttempt(call, toAttemptEnd(judgeCanceledAttempt(toPerformedFailure(call, limit), NOT_MADE)));
    const { failedLocally } = task;
    if (failedLocally && failures < failedLocally.failures) return await endAttempt(call, endOfLocal(failedLocally));
    const made = await makeAttempt({ ...call, begun: Context.current().info.attempt }, limit).catch(
      async (thrown: unknown) => {
        const end = toAttemptEnd(judgeAttempt(toPerformedFailure(call, limit), thrown));
        reportFailure(task, end.entry);
        return await endAttempt(call, end);
      },
    );
    const durationMs = Date.now() - started;
    const reply = withUsedBefore(made.reply, call.usedBefore);
    const answer = await record.complete(reply);
    return answer ? await endByLedger(store.ledger, task.key, answer) : { reply, attempts: failures + 1, durationMs };
  } finally {
    limit.close();
    stopRenewing?.();
  }
}

/**
 * Cancel reasons that don't stop an attempt. An unsafe call continues if the server misses its heartbeats, because no
 * other attempt may replace it. A compensable call continues if its run is canceled, because its result is needed.
 */
function ignoredReasons<R extends CallRequest>({ task, safety }: PerformedCall<R>): readonly CancelReason[] {
  return [
    ...(safety === 'unsafe' ? (['notFound', 'timedOut'] as const) : []),
    ...(task.isCompensable ? (['cancelRequested'] as const) : []),
  ];
}

/** Renews the claim at intervals, in case the server misses the attempt's heartbeats and schedules another attempt. */
function startRenewal<R extends CallRequest>({ record, task }: PerformedCall<R>): () => void {
  const timer = setInterval(() => record.renew(), task.request.policy.heartbeatMs / 3);
  return () => clearInterval(timer);
}

function toPerformedFailure<R extends CallRequest>(
  { task, safety, failures, mayBeDone, usedBefore }: PerformedCall<R>,
  limit: TimeLimit,
): AttemptToJudge {
  const known = { task, safety, failures, mayBeDone, usedBefore };
  return { ...known, limit, isCancelRequested: isCancelRequested(), jitter: Math.random() };
}

/**
 * The end of the local attempts before this activity: it records them, and the server retries it when the next attempt
 * is due.
 */
function endOfLocal({ failures, failure, nextAttemptAt }: LocalFailure): AttemptEnd {
  const delayMs = Math.max(1, Date.parse(nextAttemptAt) - Date.now());
  return {
    entry: { status: 'retrying', failures, failure, nextAttemptAt },
    error: toApplicationFailure(failure, delayMs),
  };
}

/** Records the end of a failed attempt, and throws the failure of its activity. */
async function endAttempt<R extends CallRequest>({ record }: PerformedCall<R>, end: AttemptEnd): Promise<never> {
  await record.fail(end.entry);
  throw end.error;
}

/** True if the run has canceled the call; the server then schedules no further attempt. */
function isCancelRequested(): boolean {
  return Context.current().cancellationDetails?.cancelRequested === true;
}

/** The end of a failed attempt: its record in the ledger, and the failure of its activity. */
export interface AttemptEnd {
  readonly entry: LedgerFailure;
  /** The server retries it, unless it is final. */
  readonly error: Error;
}

function toAttemptEnd(verdict: AttemptVerdict): AttemptEnd {
  const { failures, failure } = verdict;
  switch (verdict.status) {
    case 'retrying': {
      const { status, delayMs } = verdict;
      const nextAttemptAt = new Date(Date.now() + delayMs).toISOString();
      return { entry: { status, failures, failure, nextAttemptAt }, error: toApplicationFailure(failure, delayMs) };
    }
    case 'canceled':
      return { entry: { status: 'failed', failures, failure }, error: new CancelledFailure('The call was canceled') };
    default:
      return { entry: { status: verdict.status, failures, failure }, error: toApplicationFailure(failure) };
  }
}

/** The server may have given up an attempt that begins later, and another one makes the call. */
const PROMPT_MS = 2_000;

/**
 * True if the call is made without a claim: it may be repeated at any time, and this is its first attempt. Calls of
 * models are claimed, because each costs money: an existing answer is reused.
 */
function needsNoClaim(task: CallTask, safety: CallSafety): boolean {
  const { attempt, currentAttemptScheduledTimestampMs } = Context.current().info;
  if (!mayLackClaim(task) || safety !== 'idempotent') return false;
  return attempt === 1 && task.takeover === 0 && Date.now() - currentAttemptScheduledTimestampMs < PROMPT_MS;
}

/** True if attempts of a call may have left no trace in the ledger. */
function mayLackClaim(task: CallTask): boolean {
  return task.request.kind !== 'model' && task.request.effect === 'idempotent' && !isAccountable(task);
}
