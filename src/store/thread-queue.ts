import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

export type QueuePosition =
  | { readonly kind: 'active'; readonly predecessorId: string | null }
  | { readonly kind: 'queued' }
  | { readonly kind: 'busy' };

interface ThreadKey {
  readonly tenantId: string;
  readonly threadId: string;
}

/** A run, its thread, and the time. */
interface RunOnThread extends ThreadKey {
  readonly runId: string;
  readonly at: string;
}

/** The most runs in the queue of a thread. */
export const MAX_QUEUED = 1_000;

/** Makes a new run the active run of its thread, or queues it. The lock on the thread's row orders concurrent runs. */
export async function enqueueRun(
  transaction: Transaction<Tables>,
  run: RunOnThread,
  mayQueue: boolean,
): Promise<QueuePosition> {
  const thread = await createOrLockThread(transaction, run);
  if (thread === 'created') return { kind: 'active', predecessorId: null };
  const isFree = thread.active_run_id === null && !(await hasQueuedRuns(transaction, run));
  if (!isFree) return { kind: mayQueue && (await joinQueue(transaction, run)) ? 'queued' : 'busy' };
  await activateRun(transaction, run);
  return { kind: 'active', predecessorId: thread.last_run_id };
}

/** Adds a run to the queue. @returns false when the queue is full */
async function joinQueue(transaction: Transaction<Tables>, thread: ThreadKey): Promise<boolean> {
  const last = await selectQueueOf(transaction, thread)
    .offset(MAX_QUEUED - 1)
    .limit(1)
    .executeTakeFirst();
  if (last) return false;
  await setHasQueue(transaction, thread, true);
  return true;
}

/** Creates a thread with the given active run, or locks the existing thread. */
async function createOrLockThread(transaction: Transaction<Tables>, { runId, tenantId, threadId, at }: RunOnThread) {
  const fresh = { active_run_id: runId, last_run_id: runId, has_queue: false, updated_at: at };
  for (;;) {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('threads')
      .values({ tenant_id: tenantId, id: threadId, created_at: at, ...fresh })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 1n) return 'created';
    const thread = await lockThread(transaction, { tenantId, threadId });
    // Pruning may have deleted the thread while this transaction waited for its lock.
    if (thread) return thread;
  }
}

/** Makes the ended last run of a thread active again. @returns false when the thread has continued */
export async function reactivateRun(transaction: Transaction<Tables>, run: RunOnThread): Promise<boolean> {
  const thread = await lockThread(transaction, run);
  if (!thread) return false;
  const isOthers = thread.active_run_id !== null || thread.last_run_id !== run.runId;
  if (isOthers || (await hasQueuedRuns(transaction, run))) return false;
  await activateRun(transaction, run);
  return true;
}

/** Makes a queued run active. @returns false when another run is active */
export async function dequeueRun(transaction: Transaction<Tables>, run: RunOnThread): Promise<boolean> {
  const thread = await lockThread(transaction, run);
  if (!thread || thread.active_run_id !== null) return false;
  await settleInterruption(transaction, run);
  const { numUpdatedRows } = await updateQueued(transaction, run.runId)
    .set({ is_dequeued: true, predecessor_id: thread.last_run_id, dispatch_after: run.at })
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  await activateRun(transaction, run);
  await setHasQueue(transaction, run, await hasQueuedRuns(transaction, run));
  return true;
}

/**
 * Settles one interruption when a run has ended: that of the run that follows it, or otherwise the first in the queue.
 */
async function settleInterruption(transaction: Transaction<Tables>, run: RunOnThread): Promise<void> {
  const interrupting = await selectQueueOf(transaction, run).where('interrupts', '=', true).execute();
  const settled = interrupting.find(({ id }) => id === run.runId) ?? interrupting[0];
  if (settled) await transaction.updateTable('runs').set({ interrupts: false }).where('id', '=', settled.id).execute();
}

/** Removes a run that will not begin from the queue. @returns false when it was not queued */
export async function leaveQueue(transaction: Transaction<Tables>, id: string): Promise<boolean> {
  const run = await transaction
    .selectFrom('runs')
    .select(['tenant_id as tenantId', 'thread_id as threadId'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!run || run.threadId === null) return false;
  const thread = { tenantId: run.tenantId, threadId: run.threadId };
  await lockThread(transaction, thread);
  const { numUpdatedRows } = await updateQueued(transaction, id)
    .set({ is_dequeued: true, dispatched_at: new Date().toISOString() })
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  await setHasQueue(transaction, thread, await hasQueuedRuns(transaction, thread));
  return true;
}

/** Updates a run if it is queued. */
function updateQueued(transaction: Transaction<Tables>, id: string) {
  return transaction
    .updateTable('runs')
    .where('id', '=', id)
    .where(sql<boolean>`not is_dequeued`);
}

/** Selects the queued runs of a thread in order. */
export function selectQueueOf(db: Kysely<Tables>, { tenantId, threadId }: ThreadKey) {
  return db
    .selectFrom('runs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('thread_id', '=', threadId)
    .where(sql<boolean>`not is_dequeued`)
    .orderBy('created_at')
    .orderBy('id');
}

async function lockThread(transaction: Transaction<Tables>, { tenantId, threadId }: ThreadKey) {
  return await transaction
    .selectFrom('threads')
    .select(['active_run_id', 'last_run_id'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', threadId)
    .forUpdate()
    .executeTakeFirst();
}

async function hasQueuedRuns(db: Kysely<Tables>, thread: ThreadKey): Promise<boolean> {
  return (await selectQueueOf(db, thread).limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Must be called in the transaction that has locked the thread, because it reads all queued runs that were committed
 * before.
 */
async function setHasQueue(transaction: Transaction<Tables>, thread: ThreadKey, has: boolean): Promise<void> {
  await updateThread(transaction, thread).set({ has_queue: has }).where('has_queue', '!=', has).execute();
}

async function activateRun(transaction: Transaction<Tables>, run: RunOnThread): Promise<void> {
  const { runId, at } = run;
  await updateThread(transaction, run).set({ active_run_id: runId, last_run_id: runId, updated_at: at }).execute();
}

function updateThread(transaction: Transaction<Tables>, { tenantId, threadId }: ThreadKey) {
  return transaction.updateTable('threads').where('tenant_id', '=', tenantId).where('id', '=', threadId);
}
