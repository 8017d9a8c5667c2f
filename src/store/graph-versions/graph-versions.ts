import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { SUMMARY_COLUMNS, toSummary } from '../graphs.ts';
import type { GraphSummary } from '../graphs.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';

/** A version of a graph of a tenant. */
export interface VersionReference {
  readonly tenantId: string;
  readonly name: string;
  readonly version: number;
}

export interface GraphVersions {
  /** All versions of a graph, the newest first, unpublished ones too. */
  list(tenantId: string, name: string, page: PageRequest): Promise<Page<GraphSummary>>;
  /** Takes a version back; one that is taken back already stays as it is. @returns false when there is no such version */
  unpublish(reference: VersionReference, by: string, at: string): Promise<boolean>;
}

export function createGraphVersions(db: Kysely<Tables>): GraphVersions {
  return {
    list: (tenantId, name, page) => list(db, { tenantId, name }, page),
    async unpublish({ tenantId, name, version }, by, at) {
      const { numUpdatedRows } = await db
        .updateTable('graphs')
        .set({
          unpublished_at: sql`coalesce(unpublished_at, ${at}::timestamptz)`,
          unpublished_by: sql`coalesce(unpublished_by, ${by})`,
        })
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .where('version', '=', version)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

async function list(
  db: Kysely<Tables>,
  { tenantId, name }: Pick<VersionReference, 'tenantId' | 'name'>,
  { limit, after }: PageRequest,
): Promise<Page<GraphSummary>> {
  const versions = db
    .selectFrom('graphs')
    .select(SUMMARY_COLUMNS)
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name);
  const page = await readPage(db, after ? versions.where('version', '<', Number(after.id)) : versions, {
    limit,
    order: sql`version desc`,
    payloads: [],
    positionOf: ({ version, created_at }) => ({ at: created_at.toISOString(), id: String(version) }),
  });
  return mapPage(page, toSummary);
}
