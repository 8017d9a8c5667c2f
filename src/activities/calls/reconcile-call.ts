import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { TaskFailure } from '../../graph/values/index.ts';
import type { CallClaim } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { answerFromLedger } from './answer-from-ledger.ts';
import { toFailure } from './application-failure.ts';
import type { CallOutcome } from './call-task.ts';
import { judgeCanceled, lostAfter } from './judge-claim.ts';

/** A call that its run has called back, and of which nobody has said yet what it has done. */
export interface CallToReconcile extends Pick<
  CallClaim,
  'key' | 'takeover' | 'node' | 'index' | 'runId' | 'tenantId' | 'called'
> {
  readonly heartbeatMs: number;
}

/**
 * Says what has become of a call without making it: an attempt that was lost, or that could not tell, may have made it.
 * Where none has, the ledger keeps one that comes late from doing so. Asks again for as long as an attempt is at it.
 * @throws ApplicationFailure whose details hold the `TaskFailure`: `CANCELED` where it was not made
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
  const result = await ledger.close({ ...call, ...claim }, NOT_MADE, (entry) =>
    judgeCanceled(entry, lostAfter(heartbeatMs)),
  );
  if ('answer' in result) return await answerFromLedger(ledger, call.key, result.answer);
  throw toFailure(NOT_MADE);
}

/** Equal to no request's, so that a late attempt finds its key taken. */
const NO_REQUEST = '';

const NOT_MADE: TaskFailure = {
  callFailed: true,
  error: { code: 'CANCELED', message: 'The call was canceled before it was made' },
};
