import { Context } from '@temporalio/activity';
import type { Store } from '../../store/store.ts';
import { tryAgainLater } from './application-failure.ts';
import type { CallSlots } from './call-slots.ts';
import type { CallTask } from './call-task.ts';
import { withHeartbeat } from './heartbeat.ts';
import { writeJournal } from './write-journal.ts';

/**
 * Makes a call in a slot of its tenant. Without a free slot it writes only the journal that travels with the call, and
 * the server tries again later. That comes before the claim, so the ledger counts no attempt.
 * @throws ApplicationFailure `BUSY`, which the server retries
 */
export async function inCallSlot<T>(
  { slots, store }: { readonly slots: CallSlots; readonly store: Store },
  task: CallTask,
  call: () => Promise<T>,
): Promise<T> {
  const slot = slots.take(task.tenantId);
  if (slot.kind === 'taken') {
    try {
      return await call();
    } finally {
      slot.giveBack();
    }
  }
  const leftMs = timeLeft(task);
  // A call whose deadline is over is not made any more: the ledger records how it ends.
  if (leftMs <= 0) return await call();
  await withHeartbeat(task.request.policy.heartbeatMs, async () => await writeJournal(store, task));
  throw tryAgainLater('BUSY', 'The tenant has as many open calls as it may', Math.min(slot.retryAfterMs, leftMs));
}

/** @returns milliseconds until the deadline of all attempts of the activity's call */
export function timeLeft({ request: { policy } }: CallTask): number {
  if (policy.deadlineMs === null) return Number.POSITIVE_INFINITY;
  return Context.current().info.scheduledTimestampMs + policy.deadlineMs - Date.now();
}
