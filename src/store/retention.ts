import { sql } from 'kysely';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { createCheckpoints } from './checkpoints.ts';
import { forgetDefinitions } from './definitions.ts';
import type { Tables } from './tables.ts';

/** What has outlived its time. Runs that have not ended never do. */
export interface Retention {
  /** Runs that ended before are forgotten, with all that belongs to them. `null`: none */
  readonly runsBefore: string | null;
  /** Of runs that ended before only the last state is kept. `null`: of none */
  readonly checkpointsBefore: string | null;
  /** Names the workflow of a run, which its blobs belong to. */
  readonly toWorkflowId: (run: { readonly tenantId: string; readonly id: string }) => string;
}

/** How many rows went, or would go. */
export type Pruned = Readonly<Record<'runs' | 'events' | 'checkpoints' | 'approvals' | 'ledger' | 'blobs', number>>;

export interface RetentionStore {
  /** Counts what would go. */
  count(retention: Retention): Promise<Pruned>;
  /** Forgets a batch of runs, and the checkpoints of another. @returns what went; nothing of runs or checkpoints: all has */
  prune(retention: Retention, batch: number): Promise<Pruned>;
}

export function createRetention(db: Kysely<Tables>): RetentionStore {
  return {
    count: (retention) => count(db, retention),
    prune: (retention, batch) =>
      db.transaction().execute(async (transaction) => {
        const runs = await pruneRuns(transaction, await oldRuns(transaction, retention, batch), retention);
        const orphans = await deleteOrphans(transaction, retention);
        const checkpoints = await pruneCheckpoints(transaction, await runsWithOldStates(transaction, retention, batch));
        return { ...runs, checkpoints: runs.checkpoints + checkpoints, blobs: runs.blobs + orphans };
      }),
  };
}

/** Tables whose rows belong to runs, and are counted. */
const PARTS = ['events', 'checkpoints', 'approvals', 'ledger'] as const;
type Part = (typeof PARTS)[number];

interface OldRun {
  readonly id: string;
  readonly tenantId: string;
  readonly graphHash: string;
}

/** A thread goes on from its last run, unless it is at rest for as long. */
function endedBefore(time: string): RawBuilder<boolean> {
  return sql<boolean>`runs.ended_at < ${time}::timestamptz and runs.handed_over_at is not null
    and not exists (select from threads where active_run_id = runs.id)
    and not exists (select from runs later where later.predecessor_id = runs.id and later.ended_at is null)`;
}

async function oldRuns(db: Kysely<Tables>, { runsBefore }: Retention, limit: number): Promise<readonly OldRun[]> {
  if (runsBefore === null) return [];
  return await db
    .selectFrom('runs')
    .select(['id', 'tenant_id as tenantId', 'graph_hash as graphHash'])
    .where(endedBefore(runsBefore))
    .orderBy('ended_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Runs of which more than the last checkpoint is kept. */
async function runsWithOldStates(
  db: Kysely<Tables>,
  { checkpointsBefore }: Retention,
  limit: number,
): Promise<readonly string[]> {
  if (checkpointsBefore === null) return [];
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where(endedBefore(checkpointsBefore))
    .where(sql<boolean>`(select count(*) from checkpoints where run_id = runs.id) > 1`)
    .orderBy('ended_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

async function pruneRuns(
  transaction: Transaction<Tables>,
  runs: readonly OldRun[],
  { toWorkflowId }: Retention,
): Promise<Pruned> {
  const ids = runs.map(({ id }) => id);
  const gone: Record<Part, number> = { events: 0, checkpoints: 0, approvals: 0, ledger: 0 };
  for (const part of PARTS) gone[part] = await deleteOf(transaction, part, ids);
  const blobs = await sql`delete from blobs where workflow_id = any(${runs.map(toWorkflowId)}::text[])`.execute(
    transaction,
  );
  await sql`delete from signals where run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from snapshots where run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from threads where last_run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from runs where id = any(${ids}::text[])`.execute(transaction);
  await forgetDefinitions(
    transaction,
    runs.map(({ graphHash }) => graphHash),
  );
  return { runs: ids.length, ...gone, blobs: Number(blobs.numAffectedRows ?? 0) };
}

/**
 * Blobs of no run, such as one that came when its run was forgotten. As old as that, nothing can refer to them: the id of
 * a workflow ends with that of its run.
 */
function orphansBefore(time: string): RawBuilder<unknown> {
  return sql`blobs where created_at < ${time}::timestamptz
    and not exists (select from runs where runs.id = split_part(blobs.workflow_id, ':', 3))`;
}

async function deleteOrphans(transaction: Transaction<Tables>, { runsBefore }: Retention): Promise<number> {
  if (runsBefore === null) return 0;
  const { numAffectedRows } = await sql`delete from ${orphansBefore(runsBefore)}`.execute(transaction);
  return Number(numAffectedRows ?? 0);
}

async function deleteOf(transaction: Transaction<Tables>, part: Part, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(part)} where run_id = any(${ids}::text[])
  `.execute(transaction);
  return Number(numAffectedRows ?? 0);
}

/** The last checkpoint stays, with a snapshot that holds what the others said. */
async function pruneCheckpoints(transaction: Transaction<Tables>, runIds: readonly string[]): Promise<number> {
  const checkpoints = createCheckpoints(transaction);
  let gone = 0;
  for (const id of runIds) gone += await checkpoints.keepLast(id);
  return gone;
}

async function count(db: Kysely<Tables>, retention: Retention): Promise<Pruned> {
  const runs = await oldRuns(db, retention, Number.MAX_SAFE_INTEGER);
  const ids = runs.map(({ id }) => id);
  const counts: Record<Part, number> = { events: 0, checkpoints: 0, approvals: 0, ledger: 0 };
  for (const part of PARTS)
    counts[part] = await countOf(db, sql`${sql.table(part)} where run_id = any(${ids}::text[])`);
  const gone = new Set(ids);
  const thinned = (await runsWithOldStates(db, retention, Number.MAX_SAFE_INTEGER)).filter((id) => !gone.has(id));
  const states = await countOf(db, sql`checkpoints where run_id = any(${thinned}::text[])`);
  const blobs = await countOf(db, sql`blobs where workflow_id = any(${runs.map(retention.toWorkflowId)}::text[])`);
  const orphans = retention.runsBefore === null ? 0 : await countOf(db, orphansBefore(retention.runsBefore));
  const checkpoints = counts.checkpoints + states - thinned.length;
  return { runs: ids.length, ...counts, checkpoints, blobs: blobs + orphans };
}

async function countOf(db: Kysely<Tables>, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${from}`.execute(db);
  return rows[0]?.count ?? 0;
}
