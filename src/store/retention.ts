import { sql } from 'kysely';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { createCheckpoints } from './checkpoints.ts';
import type { Tables } from './tables.ts';

/** What has outlived its time. Runs that have not ended never do. */
export interface Retention {
  /** Runs that ended before are forgotten, with all that belongs to them. `null`: none */
  readonly runsBefore: string | null;
  /** Of runs that ended before only the last state is kept. `null`: of none */
  readonly checkpointsBefore: string | null;
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
        const runs = await pruneRuns(transaction, await oldRuns(transaction, retention, batch));
        const checkpoints = await pruneCheckpoints(transaction, await runsWithOldStates(transaction, retention, batch));
        return { ...runs, checkpoints: runs.checkpoints + checkpoints };
      }),
  };
}

/** Tables whose rows belong to runs, and are counted. */
const PARTS = ['events', 'checkpoints', 'approvals', 'ledger'] as const;
type Part = (typeof PARTS)[number];

/** The id of a run's workflow, as `workflows/contract.ts` makes it. */
const WORKFLOW_ID = sql<string>`'run:' || tenant_id || ':' || id`.as('workflow_id');

interface OldRun {
  readonly id: string;
  readonly workflow_id: string;
  readonly graph_hash: string;
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
    .select(['id', 'graph_hash', WORKFLOW_ID])
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
): Promise<readonly OldRun[]> {
  if (checkpointsBefore === null) return [];
  return await db
    .selectFrom('runs')
    .select(['id', 'graph_hash', WORKFLOW_ID])
    .where(endedBefore(checkpointsBefore))
    .where(sql<boolean>`(select count(*) from checkpoints where run_id = runs.id) > 1`)
    .orderBy('ended_at')
    .limit(limit)
    .execute();
}

async function pruneRuns(transaction: Transaction<Tables>, runs: readonly OldRun[]): Promise<Pruned> {
  const ids = runs.map(({ id }) => id);
  const gone: Record<Part, number> = { events: 0, checkpoints: 0, approvals: 0, ledger: 0 };
  for (const part of PARTS) gone[part] = await deleteOf(transaction, part, ids);
  const blobs = await sql`delete from blobs where workflow_id = any(${workflowsOf(runs)}::text[])`.execute(transaction);
  await sql`delete from signals where run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from snapshots where run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from threads where last_run_id = any(${ids}::text[])`.execute(transaction);
  await sql`delete from runs where id = any(${ids}::text[])`.execute(transaction);
  await sql`
    delete from definitions where hash = any(${runs.map(({ graph_hash }) => graph_hash)}::text[])
      and not exists (select from graphs where graphs.hash = definitions.hash)
      and not exists (select from runs where runs.graph_hash = definitions.hash)
  `.execute(transaction);
  return { runs: ids.length, ...gone, blobs: Number(blobs.numAffectedRows ?? 0) };
}

function workflowsOf(runs: readonly OldRun[]): readonly string[] {
  return runs.map(({ workflow_id }) => workflow_id);
}

async function deleteOf(transaction: Transaction<Tables>, part: Part, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(part)} where run_id = any(${ids}::text[])
  `.execute(transaction);
  return Number(numAffectedRows ?? 0);
}

/** The last checkpoint stays, with a snapshot that holds what the others said. */
async function pruneCheckpoints(transaction: Transaction<Tables>, runs: readonly OldRun[]): Promise<number> {
  const checkpoints = createCheckpoints(transaction);
  let gone = 0;
  for (const { id } of runs) gone += await checkpoints.keepLast(id);
  return gone;
}

async function count(db: Kysely<Tables>, retention: Retention): Promise<Pruned> {
  const runs = await oldRuns(db, retention, Number.MAX_SAFE_INTEGER);
  const ids = runs.map(({ id }) => id);
  const counts: Record<Part, number> = { events: 0, checkpoints: 0, approvals: 0, ledger: 0 };
  for (const part of PARTS)
    counts[part] = await countOf(db, sql`${sql.table(part)} where run_id = any(${ids}::text[])`);
  const others = await runsWithOldStates(db, retention, Number.MAX_SAFE_INTEGER);
  const thinned = others.map(({ id }) => id).filter((id) => !ids.includes(id));
  const states = await countOf(db, sql`checkpoints where run_id = any(${thinned}::text[])`);
  const blobs = await countOf(db, sql`blobs where workflow_id = any(${workflowsOf(runs)}::text[])`);
  return { runs: ids.length, ...counts, checkpoints: counts.checkpoints + states - thinned.length, blobs };
}

async function countOf(db: Kysely<Tables>, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${from}`.execute(db);
  return rows[0]?.count ?? 0;
}
