import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { BlobPieces } from './blobs/blob-pieces.ts';
import type { Tables } from './tables.ts';

/** Maps runs to their workflows, to which blobs belong, and back. */
export interface WorkflowNames {
  readonly toWorkflowId: (run: { readonly tenantId: string; readonly id: string }) => string;
  /** @returns `null` for a workflow that is not a run's */
  readonly fromWorkflowId: (workflowId: string) => { readonly id: string } | null;
}

/** The number of workflows in one statement. */
const BATCH = 1_000;

/** Workflows, and where pieces of their blobs are. */
interface Owners extends WorkflowNames {
  readonly pieces: BlobPieces;
}

/**
 * Deletes old blobs whose run is gone, such as blobs that were written while their run was deleted.
 * @returns the number of deleted blobs, batch by batch
 */
export async function* pruneOrphans(db: Kysely<Tables>, before: string, owners: Owners): AsyncIterable<number> {
  for await (const workflowIds of orphaned(db, before, owners)) {
    const { numAffectedRows } = await sql`
      delete from blobs where workflow_id = any(${workflowIds}::text[]) and created_at < ${before}::timestamptz
    `.execute(db);
    await owners.pieces.forget(db, await withoutBlobs(db, workflowIds));
    yield Number(numAffectedRows ?? 0);
  }
}

/** Younger blobs keep the pieces of their workflow. */
async function withoutBlobs(db: Kysely<Tables>, workflowIds: readonly string[]): Promise<readonly string[]> {
  const rows = db.selectFrom('blobs').select('workflow_id as id').distinct();
  const left = await rows.where(sql<boolean>`workflow_id = any(${workflowIds}::text[])`).execute();
  const kept = new Set(left.map(({ id }) => id));
  return workflowIds.filter((id) => !kept.has(id));
}

/** Counts what `pruneOrphans` would delete. */
export async function countOrphans(db: Kysely<Tables>, before: string, names: WorkflowNames): Promise<number> {
  let count = 0;
  for await (const workflowIds of orphaned(db, before, names)) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from blobs
      where workflow_id = any(${workflowIds}::text[]) and created_at < ${before}::timestamptz
    `.execute(db);
    count += rows[0]?.count ?? 0;
  }
  return count;
}

/** Workflows with old blobs and without a run, batch by batch. */
async function* orphaned(
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
