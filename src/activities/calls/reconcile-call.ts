import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { TaskFailure } from '../../graph/values/index.ts';
import type { CallClaim } from '../../store/calls/ledger-claims.ts';
import type { Store } from '../../store/store.ts';
import { toFailure } from './application-failure.ts';
import type { CallOutcome } from './call-task.ts';
import { endByLedger } from './ledger/end-by-ledger.ts';
import { judgeCanceled, lostAfter } from './ledger/judge-claim.ts';
import { NOT_MADE } from './not-made.ts';

/** A canceled call whose outcome its run does not know. */
export interface CallToReconcile extends Pick<
  CallClaim,
  'key' | 'takeover' | 'node' | 'index' | 'runId' | 'tenantId' | 'called'
> {
  readonly heartbeatMs: number;
}

/**
 * Finds the outcome of a canceled call without making it. If no attempt has made the call, it is closed in the ledger,
 * so that no late one does. While an attempt is in progress, the activity is retried.
 * @throws ApplicationFailure with the `TaskFailure` in its details: `CANCELED` if the call was not made
 */
export async function reconcileCall(
  { ledger }: Store,
  { heartbeatMs, ...call }: CallToReconcile,
): Promise<CallOutcome> {
  const scheduledAt = Context.current().info.currentAttemptScheduledTimestampMs;
  const claim = {
    claim: randomUUID(),
    requestHash: NO_REQUEST,
    scheduledAt,
    at: new Date().toISOString(),
    journal: null,
  };
  const result = await ledger.close({ ...call, ...claim }, CANCELED, (entry) =>
    judgeCanceled(entry, lostAfter(heartbeatMs)),
  );
  if ('answer' in result) return await endByLedger(ledger, call.key, result.answer);
  throw toFailure(CANCELED);
}

/** Differs from every request's hash, so that a late attempt finds its key taken. */
const NO_REQUEST = '';

const CANCELED: TaskFailure = { callFailed: true, error: { code: NOT_MADE.code, message: NOT_MADE.message } };
