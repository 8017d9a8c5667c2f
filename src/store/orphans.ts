import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** How the workflow of a run is called, which its blobs belong to. */
export interface WorkflowNames {
  readonly toWorkflowId: (run: { readonly tenantId: string; readonly id: string }) => string;
  /** @returns `null`: it is no run's */
  readonly fromWorkflowId: (workflowId: string) => { readonly id: string } | null;
}

/** So many workflows are looked at in one statement. */
const BATCH = 1_000;

/**
 * Forgets blobs of no run, such as one that came when its run was forgotten. As old as that, nothing can refer to them.
 * @returns how many went with each batch
 */
export async function* pruneOrphans(db: Kysely<Tables>, before: string, names: WorkflowNames): AsyncIterable<number> {
  for await (const workflowIds of orphaned(db, before, names)) {
    const { numAffectedRows } = await sql`
      delete from blobs where workflow_id = any(${workflowIds}::text[]) and created_at < ${before}::timestamptz
    `.execute(db);
    yield Number(numAffectedRows ?? 0);
  }
}

/** Counts what `pruneOrphans` would forget. */
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

/** Workflows that have old blobs and belong to no run, batch by batch. */
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
