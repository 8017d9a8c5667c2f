import type { Store } from '../store/store.ts';
import { answerFrom } from './answer-from.ts';
import type { CallOutcome } from './call-task.ts';
import { judgeLeft, lostAfter } from './ledger.ts';

/** A call that its run has called back, and of which the server says no more than that it is over. */
export interface LeftCall {
  readonly key: string;
  readonly heartbeatMs: number;
}

/**
 * Says what has become of a call without making it: it may have been made by an attempt that was lost, or be waiting for
 * another one, when the run was canceled. Asks again for as long as an attempt is at it.
 * @throws ApplicationFailure whose details hold the `TaskFailure`: `CANCELED` where it is known not to have been made
 */
export async function settleCall({ ledger }: Store, { key, heartbeatMs }: LeftCall): Promise<CallOutcome> {
  return await answerFrom(ledger, key, judgeLeft(await ledger.find(key), lostAfter(heartbeatMs)));
}
