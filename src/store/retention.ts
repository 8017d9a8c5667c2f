import { sql } from 'kysely';
import type { Kysely, Transaction, RawBuilder } from 'kysely';
import type { BlobPieces } from './blobs/blob-pieces.ts';
import { createCheckpoints } from './checkpoints.ts';
import { forgetDefinitions } from './definitions.ts';
import type { RunRecord } from './runs.ts';
import type { Tables } from './tables.ts';
import { forgetWebhookEvents } from './webhooks/due-deliveries.ts';

/** The ages from which data is pruned. Runs that have not ended are kept. */
export interface Retention extends WorkflowNames {
  /** Runs that ended before this time are deleted with all their data; `null` deletes none. */
  readonly runsBefore: string | null;
  /**
   * Runs that ended before this time keep only their last state, and the last state from which other runs may start;
   * `null` keeps all states.
   */
  readonly checkpointsBefore: string | null;
}

export interface RetentionStore {
  /** Counts what `prune` would delete. */
  count(retention: Retention): Promise<Pruned>;
  /**
   * Deletes old runs, blobs without a run, and old checkpoints in batches; each batch is committed on its own.
   * @returns the counts of each batch
   */
  prune(retention: Retention, batch: number): AsyncIterable<Pruned>;
}

/** @internal */
export function createRetention(db: Kysely<Tables>, pieces: BlobPieces): RetentionStore {
  return {
    count: (retention) => countExpired(db, retention),
    prune: (retention, batch) => pruneAll(db, { ...retention, pieces }, batch),
  };
}

/** The data that is pruned, and the store of the pieces of blobs. */
interface Pruning extends Retention, BlobOwners {}

async function* pruneAll(db: Kysely<Tables>, retention: Pruning, batch: number): AsyncIterable<Pruned> {
  const { runsBefore, checkpointsBefore } = retention;
  if (runsBefore !== null) {
    yield* eachBatch(db, batch, async (transaction, after) => {
      const runs = await oldRuns(transaction, runsBefore, after, batch).execute();
      const locked = await lockUnneeded(transaction, runs, runsBefore);
      return { runs, pruned: await pruneRuns(transaction, locked, retention) };
    });
    for await (const blobs of pruneOrphans(db, runsBefore, retention)) yield { ...NOTHING_PRUNED, blobs };
  }
  if (checkpointsBefore === null) return;
  yield* eachBatch(db, batch, async (transaction, after) => {
    const runs = await withOldStates(transaction, checkpointsBefore, after, batch).execute();
    return { runs, pruned: { ...NOTHING_PRUNED, checkpoints: await pruneCheckpoints(transaction, runs) } };
  });
}

interface OldRun {
  readonly id: string;
  readonly tenantId: string;
  readonly graphHash: string;
  readonly endedAt: string;
}

type RunBatch = (
  transaction: Transaction<Tables>,
  after: OldRun | null,
) => Promise<{ readonly runs: readonly OldRun[]; readonly pruned: Pruned }>;

/** Visits each run once, oldest first, even if a batch does not delete all its runs. */
async function* eachBatch(db: Kysely<Tables>, size: number, pruneAfter: RunBatch): AsyncIterable<Pruned> {
  for (let after: OldRun | null = null; ;) {
    const { runs, pruned }: Awaited<ReturnType<RunBatch>> = await db
      .transaction()
      .execute(async (transaction) => await pruneAfter(transaction, after));
    yield pruned;
    after = runs.at(-1) ?? null;
    if (runs.length < size) return;
  }
}

/** The tables of a run's rows that are counted. */
const PARTS = ['events', 'checkpoints', 'approvals', 'ledger'] as const;
type PrunedPart = (typeof PARTS)[number];

async function ofEachPart(count: (part: PrunedPart) => Promise<number>): Promise<Record<PrunedPart, number>> {
  const counts: Record<PrunedPart, number> = { events: 0, checkpoints: 0, approvals: 0, ledger: 0 };
  for (const part of PARTS) counts[part] = await count(part);
  return counts;
}

/** The other tables with rows of a run. */
const UNCOUNTED_PARTS = [
  'occurrences',
  'approval_comments',
  'snapshots',
  'written_batches',
  'stream_tickets',
] as const satisfies readonly (keyof Tables)[];

/**
 * Selects runs that ended before a time, oldest first. The last run of a thread is kept while a younger run needs its
 * state or is queued.
 */
function oldRuns(db: Kysely<Tables>, before: string, after: OldRun | null = null, limit = Number.MAX_SAFE_INTEGER) {
  return db
    .selectFrom('runs')
    .select(['id', 'tenant_id as tenantId', 'graph_hash as graphHash', sql<string>`ended_at::text`.as('endedAt')])
    .where(
      sql<boolean>`runs.ended_at < ${before}::timestamptz and runs.dispatched_at is not null
        and not exists (select from threads where active_run_id = runs.id)
        and not exists (select from runs later where later.predecessor_id = runs.id and later.ended_at is null)
        and not exists (
          select from runs queued
          where queued.tenant_id = runs.tenant_id and queued.thread_id = runs.thread_id and not queued.is_dequeued
        )`,
    )
    .where(after ? sql<boolean>`(ended_at, id) > (${after.endedAt}::timestamptz, ${after.id})` : sql<boolean>`true`)
    .orderBy('ended_at')
    .orderBy('id')
    .limit(limit);
}

/**
 * Locks the threads and then the runs that are still not needed, and skips those that other transactions have locked. A
 * new run locks its thread: it either comes first, so that its predecessor is kept, or later, and has no predecessor.
 */
async function lockUnneeded(
  transaction: Transaction<Tables>,
  runs: readonly OldRun[],
  before: string,
): Promise<readonly OldRun[]> {
  const ids = runs.map(({ id }) => id);
  const { rows: threads } = await sql<{ last: string }>`
    select last_run_id as last from threads where last_run_id = any(${ids}::text[]) for update skip locked
  `.execute(transaction);
  // A separate statement sees what other transactions have committed before the threads were locked.
  return await oldRuns(transaction, before)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where(
      sql<boolean>`not exists (
        select from threads where last_run_id = runs.id and last_run_id <> all(${threads.map(({ last }) => last)}::text[])
      )`,
    )
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Selects old runs with more checkpoints than they should keep: one, or two when some of their calls are undone. */
function withOldStates(...selection: Parameters<typeof oldRuns>) {
  return oldRuns(...selection)
    .select(sql<number>`case when ${IS_UNDONE} then 2 else 1 end`.as('kept'))
    .where(
      sql<boolean>`exists (select from checkpoints where run_id = runs.id limit 1 offset 1)
        and (not ${IS_UNDONE} or exists (select from checkpoints where run_id = runs.id limit 1 offset 2))`,
    );
}

/** The view is compared as text, because the database can't parse every JSON string. */
const IS_UNDONE = sql<boolean>`coalesce(view::text like '%"undone":{"since":%', false)`;

async function pruneRuns(
  transaction: Transaction<Tables>,
  runs: readonly OldRun[],
  { toWorkflowId, pieces }: Pruning,
): Promise<Pruned> {
  const ids = runs.map(({ id }) => id);
  const workflowIds = runs.map(toWorkflowId);
  const gone = await ofEachPart(async (part) => await deleteOf(transaction, part, ids));
  const blobs = await sql`delete from blobs where workflow_id = any(${workflowIds}::text[])`.execute(transaction);
  await pieces.forget(transaction, workflowIds);
  for (const part of UNCOUNTED_PARTS) await deleteOf(transaction, part, ids);
  await forgetWebhookEvents(transaction, ids);
  await sql`delete from threads where last_run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from runs where id = any(${ids}::text[])`.execute(transaction);
  await forgetDefinitions(
    transaction,
    runs.map(({ graphHash }) => graphHash),
  );
  return { runs: ids.length, ...gone, blobs: Number(blobs.numAffectedRows ?? 0) };
}

async function deleteOf(transaction: Transaction<Tables>, part: keyof Tables, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(part)} where run_id = any(${ids}::text[])
  `.execute(transaction);
  return Number(numAffectedRows ?? 0);
}

/** Snapshots at the remaining checkpoints replace the others. */
async function pruneCheckpoints(transaction: Transaction<Tables>, runs: readonly OldRun[]): Promise<number> {
  const checkpoints = createCheckpoints(transaction);
  let gone = 0;
  for (const { id } of runs) gone += await checkpoints.keepLast(id);
  return gone;
}

async function countExpired(db: Kysely<Tables>, retention: Retention): Promise<Pruned> {
  const { runsBefore, checkpointsBefore, toWorkflowId } = retention;
  const runs = runsBefore === null ? [] : await oldRuns(db, runsBefore).execute();
  const ids = runs.map(({ id }) => id);
  const counts = await ofEachPart(
    async (part) => await countRowsOf(db, sql`${sql.table(part)} where run_id = any(${ids}::text[])`),
  );
  const gone = new Set(ids);
  const old = checkpointsBefore === null ? [] : await withOldStates(db, checkpointsBefore).execute();
  const thinned = old.filter(({ id }) => !gone.has(id));
  const states = await countRowsOf(db, sql`checkpoints where run_id = any(${thinned.map(({ id }) => id)}::text[])`);
  const kept = thinned.reduce((sum, run) => sum + run.kept, 0);
  const blobs = await countRowsOf(db, sql`blobs where workflow_id = any(${runs.map(toWorkflowId)}::text[])`);
  const orphans = runsBefore === null ? 0 : await countOrphans(db, runsBefore, retention);
  const checkpoints = counts.checkpoints + states - kept;
  return { runs: ids.length, ...counts, checkpoints, blobs: blobs + orphans };
}

async function countRowsOf(db: Kysely<Tables>, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${from}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The numbers of rows that were deleted, or would be. */
export type Pruned = Readonly<Record<'runs' | 'blobs' | PrunedPart, number>>;

export const NOTHING_PRUNED: Pruned = { runs: 0, events: 0, checkpoints: 0, approvals: 0, ledger: 0, blobs: 0 };

export function addPruned(one: Pruned, other: Pruned): Pruned {
  return {
    runs: one.runs + other.runs,
    events: one.events + other.events,
    checkpoints: one.checkpoints + other.checkpoints,
    approvals: one.approvals + other.approvals,
    ledger: one.ledger + other.ledger,
    blobs: one.blobs + other.blobs,
  };
}

/** Maps runs to the workflow ids to which blobs belong, and back. */
export interface WorkflowNames {
  readonly toWorkflowId: (run: Pick<RunRecord, 'id' | 'tenantId'>) => string;
  /** @returns `null` for a workflow that is not a run's */
  readonly fromWorkflowId: (workflowId: string) => Pick<RunRecord, 'id'> | null;
}

/** The number of workflows in one statement. */
const BATCH = 1_000;

/** Workflow names, and where the pieces of blobs are stored. */
interface BlobOwners extends WorkflowNames {
  readonly pieces: BlobPieces;
}

/**
 * Deletes old blobs whose run was deleted, such as blobs that were written during the deletion.
 * @returns the number of deleted blobs of each batch
 */
async function* pruneOrphans(db: Kysely<Tables>, before: string, owners: BlobOwners): AsyncIterable<number> {
  for await (const workflowIds of orphanedBlobs(db, before, owners)) {
    const { numAffectedRows } = await sql`
      delete from blobs where workflow_id = any(${workflowIds}::text[]) and created_at < ${before}::timestamptz
    `.execute(db);
    await owners.pieces.forget(db, await withoutBlobs(db, workflowIds));
    yield Number(numAffectedRows ?? 0);
  }
}

/** Returns the workflows without any blob; a younger blob keeps the pieces of its workflow. */
async function withoutBlobs(db: Kysely<Tables>, workflowIds: readonly string[]): Promise<readonly string[]> {
  const rows = db.selectFrom('blobs').select('workflow_id as id').distinct();
  const left = await rows.where(sql<boolean>`workflow_id = any(${workflowIds}::text[])`).execute();
  const kept = new Set(left.map(({ id }) => id));
  return workflowIds.filter((id) => !kept.has(id));
}

/** Counts what `pruneOrphans` would delete. */
async function countOrphans(db: Kysely<Tables>, before: string, names: WorkflowNames): Promise<number> {
  let count = 0;
  for await (const workflowIds of orphanedBlobs(db, before, names))
    count += await countRowsOf(
      db,
      sql`blobs where workflow_id = any(${workflowIds}::text[]) and created_at < ${before}::timestamptz`,
    );
  return count;
}

/** Lists workflows with old blobs and without a run, batch by batch. */
async function* orphanedBlobs(
  db: Kysely<Tables>,
  before: string,
  { toWorkflowId, fromWorkflowId }: WorkflowNames,
): AsyncIterable<readonly string[]> {
  for (let ids = await workflowsAfter(db, before, ''); ; ids = await workflowsAfter(db, before, ids.at(-1) ?? '')) {
    const owners = await db
      .selectFrom('runs')
      .select(['id', 'tenant_id as tenantId'])
      .where(sql<boolean>`id = any(${ids.flatMap((id) => fromWorkflowId(id)?.id ?? [])}::text[])`)
      .execute();
    const owned = new Set(owners.map(toWorkflowId));
    yield ids.filter((id) => !owned.has(id));
    if (ids.length < BATCH) return;
  }
}

async function workflowsAfter(db: Kysely<Tables>, before: string, after: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct workflow_id as id from blobs
    where created_at < ${before}::timestamptz and workflow_id > ${after}
    order by workflow_id limit ${BATCH}
  `.execute(db);
  return rows.map(({ id }) => id);
}
