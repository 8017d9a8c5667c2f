import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { JournalBatch } from '../graph/journal/index.ts';
import type { SentSignal } from '../graph/run/index.ts';
import { createJournal } from './journal.ts';
import type { RunRecord } from './runs.ts';
import type { Tables } from './tables.ts';
import { dequeueRun, leaveQueue, selectQueueOf } from './thread-queue.ts';

/** A conversation across runs, of which one at a time may be active. */
export interface ThreadRecord {
  readonly id: string;
  readonly activeRunId: string | null;
  /** The run whose state is the thread's state. */
  readonly lastRunId: string;
  /** The queued runs, in order. */
  readonly queued: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The first run in the queue of a thread. */
export interface QueueHead {
  readonly runId: string;
  readonly tenantId: string;
  readonly threadId: string;
  /** The active run of the thread, or `null`. */
  readonly activeRunId: string | null;
  /** A queued run that requests the cancellation of the active run, and the subject that started it. */
  readonly interruption: { readonly runId: string; readonly by: string } | null;
}

/** Identifies the interruption of an active run by a queued one. */
export function interruptionId(activeRunId: string, interruptingRunId: string): string {
  return `${activeRunId} ${interruptingRunId}`;
}

export interface Threads {
  find(tenantId: string, id: string): Promise<ThreadRecord | null>;
  /** Lists the ids of all runs of a thread. */
  runIds(tenantId: string, id: string): Promise<readonly string[]>;
  /**
   * Lists the first runs of queues: up to a limit of runs that can be dequeued, and up to as many whose active run must
   * be canceled. Tenants alternate, so that none waits for the queues of another.
   * @param limit the most runs of each of the two kinds
   * @param sent ids of interruptions (`interruptionId`) that are left out
   */
  queueHeads(limit: number, sent?: readonly string[]): Promise<readonly QueueHead[]>;
  /** Makes a queued run active. @returns false when another run is active */
  dequeue(head: QueueHead, at: string): Promise<boolean>;
  /** Ends a queued run. @returns false when it was not queued */
  cancelQueued(run: Pick<RunRecord, 'id' | 'tenantId'>, batch: JournalBatch): Promise<boolean>;
  /** Stores a signal for a queued run. @returns as `queueSignal` */
  queueSignal(id: string, signal: SentSignal): Promise<'taken' | 'full' | 'dequeued'>;
}

/** @internal */
export function createThreads(db: Kysely<Tables>): Threads {
  return {
    find: (tenantId, id) => findThread(db, tenantId, id),
    async runIds(tenantId, id) {
      const rows = await db
        .selectFrom('runs')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('thread_id', '=', id)
        .execute();
      return rows.map((row) => row.id);
    },
    queueHeads: (limit, sent = []) => queueHeads(db, limit, sent),
    dequeue: (head, at) => db.transaction().execute((transaction) => dequeueRun(transaction, { ...head, at })),
    cancelQueued: ({ id, tenantId }, batch) =>
      db.transaction().execute(async (transaction) => {
        if (!(await leaveQueue(transaction, id))) return false;
        await createJournal(transaction).write(batch, { runId: id, tenantId, executionRunId: '' });
        return true;
      }),
    queueSignal: (id, signal) => db.transaction().execute((transaction) => queueSignal(transaction, id, signal)),
  };
}

/**
 * Reads the first runs of queues whose thread is free or that contain an interrupting run. The store can't know how long
 * an interruption takes, so the latter are read in random order, which lets each come first at some time. Other queues
 * are not read.
 */
async function queueHeads(db: Kysely<Tables>, limit: number, sent: readonly string[]): Promise<readonly QueueHead[]> {
  const { rows } = await sql<QueueHead>`
    with free as (
      select tenant_id, id as thread_id, active_run_id, null::json as interruption
      from threads where active_run_id is null and has_queue
    ), interrupted as (
      select distinct on (runs.tenant_id, runs.thread_id) runs.tenant_id, runs.thread_id, threads.active_run_id,
        json_build_object('runId', runs.id, 'by', runs.created_by) as interruption
      from runs join threads on threads.tenant_id = runs.tenant_id and threads.id = runs.thread_id
      where not runs.is_dequeued and runs.interrupts and threads.active_run_id is not null
      order by runs.tenant_id, runs.thread_id, runs.created_at, runs.id
    ), queues as (
      select * from free
      union all
      select * from interrupted where active_run_id || ' ' || (interruption->>'runId') <> all(${sent}::text[])
    ), heads as (
      select head.id as "runId", queues.tenant_id as "tenantId", queues.thread_id as "threadId",
        queues.active_run_id as "activeRunId", queues.interruption,
        row_number() over (
          partition by queues.tenant_id, queues.active_run_id is null order by head.created_at, head.id
        ) as turn, head.created_at as "queuedAt"
      from queues cross join lateral (
        select id, created_at from runs
        where tenant_id = queues.tenant_id and thread_id = queues.thread_id and not is_dequeued
        order by created_at, id limit 1
      ) head
    )
    (select * from heads where "activeRunId" is null order by turn, "queuedAt" limit ${limit})
    union all
    (select * from heads where "activeRunId" is not null order by turn, random() limit ${limit})
  `.execute(db);
  return rows;
}

async function findThread(db: Kysely<Tables>, tenantId: string, id: string): Promise<ThreadRecord | null> {
  const row = await db
    .selectFrom('threads')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const queued = await selectQueueOf(db, { tenantId, threadId: id }).limit(MAX_LISTED).execute();
  return {
    id,
    activeRunId: row.active_run_id,
    lastRunId: row.last_run_id,
    queued: queued.map((run) => run.id),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

const MAX_LISTED = 100;

/** The most signals of a queued run; a running run buffers as many events. */
const MAX_QUEUED_SIGNALS = 100;
const MAX_QUEUED_BYTES = 2 * 1_048_576;

/**
 * Stores a signal for a queued run. Storing the same signal again has no effect.
 * @returns `full` when the run has the most signals that are allowed, `dequeued` when it is no longer queued
 */
async function queueSignal(
  transaction: Transaction<Tables>,
  id: string,
  signal: SentSignal,
): Promise<'taken' | 'full' | 'dequeued'> {
  const row = await transaction
    .selectFrom('runs')
    .select('queued_signals')
    .where('id', '=', id)
    .where(sql<boolean>`not is_dequeued`)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return 'dequeued';
  const { queued_signals: kept } = row;
  if (kept.some(({ payload }) => payload.signalId === signal.payload.signalId)) return 'taken';
  const all = JSON.stringify([...kept, signal]);
  if (kept.length >= MAX_QUEUED_SIGNALS || Buffer.byteLength(all) > MAX_QUEUED_BYTES) return 'full';
  await transaction.updateTable('runs').set({ queued_signals: all }).where('id', '=', id).execute();
  return 'taken';
}
