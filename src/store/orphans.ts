import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Maps runs to their workflows, to which blobs belong, and back. */
export interface WorkflowNames {
  readonly toWorkflowId: (run: { readonly tenantId: string; readonly id: string }) => string;
  /** @returns `null` for a workflow that is not a run's */
  readonly fromWorkflowId: (workflowId: string) => { readonly id: string } | null;
}

/** The number of workflows in one statement. */
const BATCH = 1_000;

/**
 * Deletes old blobs whose run is gone, such as blobs that were written while their run was deleted.
 * @returns the number of deleted blobs, batch by batch
 */
export async function* pruneOrphans(db: Kysely<Tables>, before: string, names: WorkflowNames): AsyncIterable<number> {
  for await (const workflowIds of orphaned(db, before, names)) {
    const { numAffectedRows } = await sql`
      delete from blobs where workflow_id = any(${workflowIds}::text[]) and created_at < ${before}::timestamptz
    `.execute(db);
    yield Number(numAffectedRows ?? 0);
  }
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
