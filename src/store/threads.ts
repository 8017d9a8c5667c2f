import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** A conversation across runs, of which one at a time may be at work. */
export interface ThreadRecord {
  readonly id: string;
  readonly activeRunId: string | null;
  /** The run whose state is the thread's. */
  readonly lastRunId: string;
  /** Runs that wait for their turn, the next one first. */
  readonly queued: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The run of a thread whose turn is next. */
export interface QueueHead {
  readonly runId: string;
  readonly tenantId: string;
  readonly threadId: string;
  /** The run that is at work. */
  readonly activeRunId: string | null;
  /** The queued run that wants it to be canceled, and who started that; nobody has seen to it yet. */
  readonly interruption: { readonly runId: string; readonly by: string } | null;
}

export interface Threads {
  find(tenantId: string, id: string): Promise<ThreadRecord | null>;
  /** The ids of all runs of a thread. */
  runIds(tenantId: string, id: string): Promise<readonly string[]>;
  /** The runs that are next on threads that are free, or are to be; those that wait longest first. */
  queueHeads(limit: number): Promise<readonly QueueHead[]>;
  /** Gives a queued run its turn. @returns whether it got it: not while another run is at work */
  grant(head: QueueHead, at: string): Promise<boolean>;
  /** Notes that the active run has been told to end for a queued one. */
  markInterrupted(runId: string): Promise<void>;
}

export function createThreads(db: Kysely<Tables>): Threads {
  return {
    find: (tenantId, id) => find(db, tenantId, id),
    runIds: async (tenantId, id) => {
      const rows = await db
        .selectFrom('runs')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('thread_id', '=', id)
        .execute();
      return rows.map((row) => row.id);
    },
    queueHeads: (limit) => queueHeads(db, limit),
    grant: (head, at) => db.transaction().execute((transaction) => grant(transaction, head, at)),
    markInterrupted: async (runId) =>
      void (await db.updateTable('runs').set({ interrupts: false }).where('id', '=', runId).execute()),
  };
}

export type Turn =
  | { readonly kind: 'granted'; readonly predecessorId: string | null }
  | { readonly kind: 'queued' }
  | { readonly kind: 'busy' };

/** The thread that a new run belongs to. */
export interface NewOnThread {
  readonly runId: string;
  readonly tenantId: string;
  readonly threadId: string;
  readonly mayQueue: boolean;
  readonly at: string;
}

/** Gives a new run its turn on its thread, or a place in the queue. Two that race take turns at the thread's row. */
export async function takeTurn(
  transaction: Transaction<Tables>,
  { runId, tenantId, threadId, mayQueue, at }: NewOnThread,
): Promise<Turn> {
  const fresh = { active_run_id: runId, last_run_id: runId, updated_at: at };
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('threads')
    .values({ tenant_id: tenantId, id: threadId, created_at: at, ...fresh })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 1n) return { kind: 'granted', predecessorId: null };
  const thread = await lockThread(transaction, tenantId, threadId);
  const isFree = thread.active_run_id === null && !(await hasQueue(transaction, tenantId, threadId));
  if (!isFree) return { kind: mayQueue ? 'queued' : 'busy' };
  await activate(transaction, { runId, tenantId, threadId, at });
  return { kind: 'granted', predecessorId: thread.last_run_id };
}

/** Has the last run of a thread, which had ended, be its active run again. @returns false: the thread has gone on */
export async function takeBack(
  transaction: Transaction<Tables>,
  { runId, tenantId, threadId, at }: Omit<NewOnThread, 'mayQueue'>,
): Promise<boolean> {
  const thread = await lockThread(transaction, tenantId, threadId);
  const isOthers = thread.active_run_id !== null || thread.last_run_id !== runId;
  if (isOthers || (await hasQueue(transaction, tenantId, threadId))) return false;
  await activate(transaction, { runId, tenantId, threadId, at });
  return true;
}

async function lockThread(transaction: Transaction<Tables>, tenantId: string, id: string) {
  return await transaction
    .selectFrom('threads')
    .select(['active_run_id', 'last_run_id'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

async function hasQueue(db: Kysely<Tables>, tenantId: string, threadId: string): Promise<boolean> {
  return (await queueOf(db, tenantId, threadId).limit(1).executeTakeFirst()) !== undefined;
}

function queueOf(db: Kysely<Tables>, tenantId: string, threadId: string) {
  return db
    .selectFrom('runs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('thread_id', '=', threadId)
    .where(sql<boolean>`not is_granted`)
    .orderBy('created_at')
    .orderBy('id');
}

async function activate(
  transaction: Transaction<Tables>,
  { runId, tenantId, threadId, at }: Omit<NewOnThread, 'mayQueue'>,
): Promise<void> {
  await transaction
    .updateTable('threads')
    .set({ active_run_id: runId, last_run_id: runId, updated_at: at })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', threadId)
    .execute();
}

async function grant(
  transaction: Transaction<Tables>,
  { runId, tenantId, threadId }: QueueHead,
  at: string,
): Promise<boolean> {
  const thread = await lockThread(transaction, tenantId, threadId);
  if (thread.active_run_id !== null) return false;
  const { numUpdatedRows } = await transaction
    .updateTable('runs')
    .set({ is_granted: true, predecessor_id: thread.last_run_id, hand_over_after: at })
    .where('id', '=', runId)
    .where(sql<boolean>`not is_granted`)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  await activate(transaction, { runId, tenantId, threadId, at });
  return true;
}

/** Heads of queues that something can be done for: their thread is free, or somebody behind wants it to be. */
async function queueHeads(db: Kysely<Tables>, limit: number): Promise<readonly QueueHead[]> {
  const { rows } = await sql<QueueHead>`
    select * from (
      select distinct on (runs.tenant_id, runs.thread_id)
        runs.id as "runId", runs.tenant_id as "tenantId", runs.thread_id as "threadId", runs.created_at as "queuedAt",
        threads.active_run_id as "activeRunId",
        (select json_build_object('runId', later.id, 'by', later.created_by) from runs later
          where later.tenant_id = runs.tenant_id and later.thread_id = runs.thread_id
            and not later.is_granted and later.interrupts
          order by later.created_at, later.id limit 1) as interruption
      from runs join threads on threads.tenant_id = runs.tenant_id and threads.id = runs.thread_id
      where not runs.is_granted
      order by runs.tenant_id, runs.thread_id, runs.created_at, runs.id
    ) as heads
    where "activeRunId" is null or interruption is not null
    order by "queuedAt"
    limit ${limit}
  `.execute(db);
  return rows;
}

async function find(db: Kysely<Tables>, tenantId: string, id: string): Promise<ThreadRecord | null> {
  const row = await db
    .selectFrom('threads')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const queued = await queueOf(db, tenantId, id).limit(MAX_SHOWN).execute();
  return {
    id,
    activeRunId: row.active_run_id,
    lastRunId: row.last_run_id,
    queued: queued.map((run) => run.id),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

const MAX_SHOWN = 100;
