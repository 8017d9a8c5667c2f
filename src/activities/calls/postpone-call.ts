import { Context } from '@temporalio/activity';
import type { Store } from '../../store/store.ts';
import { tryAgainLater } from './application-failure.ts';
import type { CallTask } from './call-task.ts';
import { withHeartbeat } from './time-limit.ts';
import { writeJournal } from './write-journal.ts';

/** The reason why a call is postponed. */
interface PostponementReason {
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number;
}

/**
 * Writes only the journal that travels with a call, and makes the server retry later. This precedes the claim, so the
 * ledger counts no attempt. A call past its deadline is not postponed: the ledger records its end.
 * @throws ApplicationFailure of the code, which the server retries
 */
export async function postponeCall(
  store: Store,
  task: CallTask,
  { code, message, retryAfterMs }: PostponementReason,
): Promise<void> {
  const leftMs = timeLeft(task);
  if (leftMs <= 0) return;
  await withHeartbeat(task.request.policy.heartbeatMs, async () => await writeJournal(store, task));
  throw tryAgainLater(code, message, Math.min(retryAfterMs, leftMs));
}

/** @returns milliseconds until the deadline of all attempts of the activity's call */
function timeLeft({ request: { policy } }: CallTask): number {
  if (policy.deadlineMs === null) return Number.POSITIVE_INFINITY;
  return Context.current().info.scheduledTimestampMs + policy.deadlineMs - Date.now();
}
