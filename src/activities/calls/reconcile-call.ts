import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';
import type { CallClaim } from '../../store/calls/ledger-claims.ts';
import type { Store } from '../../store/store.ts';
import { toFailure } from './application-failure.ts';
import type { CallOutcome } from './call-task.ts';
import { endByLedger } from './ledger/end-by-ledger.ts';
import { judgeCanceled, judgeGivenUp, lostAfter } from './ledger/judge-claim.ts';
import { NOT_MADE } from './not-made.ts';

/** A call that was canceled or given up, and whose outcome its run does not know. */
export interface CallToReconcile extends Pick<
  CallClaim,
  'key' | 'takeover' | 'node' | 'index' | 'runId' | 'tenantId' | 'called'
> {
  readonly heartbeatMs: number;
  /** How the server has given the call up; absent: it was canceled. */
  readonly givenUp?: RunError;
}

/**
 * Finds the outcome of such a call without making it. If no attempt has made the call, it is closed in the ledger,
 * so that no late one does. While an attempt is in progress, the activity is retried.
 * @throws ApplicationFailure with the `TaskFailure` in its details: its error is `givenUp`, or `CANCELED`, if the call was not made
 */
export async function reconcileCall(
  { ledger }: Store,
  { heartbeatMs, givenUp, ...call }: CallToReconcile,
): Promise<CallOutcome> {
  const scheduledAt = Context.current().info.currentAttemptScheduledTimestampMs;
  const claim = {
    claim: randomUUID(),
    requestHash: NO_REQUEST,
    scheduledAt,
    at: new Date().toISOString(),
    journal: null,
  };
  const [notMade, judge] = givenUp
    ? ([{ callFailed: true, error: givenUp }, judgeGivenUp] as const)
    : ([CANCELED, judgeCanceled] as const);
  const result = await ledger.close({ ...call, ...claim }, notMade, (entry) =>
    judge(entry, { takeover: call.takeover, lostAfterMs: lostAfter(heartbeatMs) }),
  );
  if ('answer' in result) return await endByLedger(ledger, call.key, result.answer);
  throw toFailure(notMade);
}

/** Differs from every request's hash, so that a late attempt finds its key taken. */
const NO_REQUEST = '';

const CANCELED: TaskFailure = { callFailed: true, error: { code: NOT_MADE.code, message: NOT_MADE.message } };
