import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';
import type { CallClaim } from '../../store/calls/ledger-claims.ts';
import type { Store } from '../../store/store.ts';
import { toApplicationFailure, tryAgainLater } from './application-failure.ts';
import type { CallOutcome } from './call-task.ts';
import { judgeCanceled, judgeGivenUp, lostAfterSilenceMs } from './judge-claim.ts';
import type { LedgerAnswer } from './judge-claim.ts';
import { NOT_MADE } from './call-error.ts';
import { isCallReply } from '../../graph/run/index.ts';
import type { Ledger } from '../../store/calls/ledger.ts';
import { unknownOutcomeError } from './judge-attempt.ts';
import { ASK_AGAIN_AFTER_MS } from './claim-call.ts';
import { recordOutcome } from './call-record.ts';

/** A call that was canceled or given up, and whose outcome its run does not know. */
export interface CallToReconcile extends Pick<
  CallClaim,
  'key' | 'takeover' | 'node' | 'index' | 'runId' | 'tenantId' | 'called'
> {
  readonly heartbeatMs: number;
  /** The error with which the server has given the call up; absent if it was canceled. */
  readonly givenUp?: RunError;
}

/**
 * Finds the outcome of such a call without making it. If no attempt has made the call, it is closed in the ledger,
 * so that no late one does. While an attempt is in progress, the activity is retried.
 * @throws ApplicationFailure with the `TaskFailure` in its details: if the call was not made, its error is `givenUp`, or
 * `CANCELED`
 */
export async function reconcileCall(
  { ledger }: Store,
  { heartbeatMs, givenUp, ...call }: CallToReconcile,
): Promise<CallOutcome> {
  const scheduledAt = Context.current().info.currentAttemptScheduledTimestampMs;
  const at = new Date().toISOString();
  const claim = { claim: randomUUID(), requestHash: NO_REQUEST_HASH, scheduledAt, at, journal: null };
  const [notMade, judge] = givenUp
    ? ([{ callFailed: true, error: givenUp }, judgeGivenUp] as const)
    : ([CANCELED_FAILURE, judgeCanceled] as const);
  const result = await ledger.close({ ...call, ...claim }, notMade, (entry) =>
    judge(entry, { takeover: call.takeover, lostAfterMs: lostAfterSilenceMs(heartbeatMs) }),
  );
  if ('answer' in result) return await endByLedger(ledger, call.key, result.answer);
  throw toApplicationFailure(notMade);
}

/** Differs from every request's hash, so that a late attempt finds its key taken. */
const NO_REQUEST_HASH = '';

const CANCELED_FAILURE: TaskFailure = { callFailed: true, error: { code: NOT_MADE.code, message: NOT_MADE.message } };

/**
 * Ends an activity with the ledger's answer. A lost attempt is first recorded as an unknown outcome. While another
 * attempt makes the call, the activity is retried later.
 * @throws ApplicationFailure as `performCall` does
 */
export async function endByLedger(ledger: Ledger, key: string, answer: LedgerAnswer): Promise<CallOutcome> {
  return toReconciledOutcome(key, answer.kind === 'lost' ? await recordLost(ledger, key, answer) : answer);
}

type LostAnswer = LedgerAnswer & { readonly kind: 'lost' };
type NotLost = Exclude<LedgerAnswer, LostAnswer>;

/** Records an unknown outcome, unless the entry has changed since it was read. */
async function recordLost(ledger: Ledger, key: string, { why, seen }: LostAnswer): Promise<NotLost> {
  const failure: TaskFailure = { error: unknownOutcomeError(why, 1), callFailed: false };
  let hasChanged = false;
  await recordOutcome(async () => {
    hasChanged = !(await ledger.markUnknown(key, seen, failure));
  });
  return hasChanged ? { kind: 'in-progress' } : { kind: 'failed', failure };
}

function toReconciledOutcome(key: string, answer: NotLost): CallOutcome {
  switch (answer.kind) {
    case 'completed':
      if (!isCallReply(answer.result)) throw new TypeError(`The ledger's result of ${key} is no reply`);
      return { reply: answer.result, attempts: answer.attempts, durationMs: 0 };
    case 'failed':
      throw toApplicationFailure(answer.failure);
    case 'in-progress':
      throw tryAgainLater('IN_PROGRESS', 'Another attempt makes the call', ASK_AGAIN_AFTER_MS);
  }
}
