import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { ROW_COUNT, putUpTo } from './database/run-statement.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables, GraphAliasesTable } from './tables.ts';
import { summaries, toGraphSummary } from './graphs.ts';
import type { GraphSummary } from './graphs.ts';

/** An alias for a version of a graph. */
export interface GraphAlias {
  readonly name: string;
  readonly alias: string;
  readonly version: number;
  /** A second version, and the share of runs that use it, from 0 to 1. */
  readonly canary: { readonly version: number; readonly share: number } | null;
  readonly updatedAt: string;
  readonly by: string;
}

export interface AliasReference {
  readonly tenantId: string;
  readonly name: string;
  readonly alias: string;
}

export interface GraphAliases {
  /** Creates or replaces an alias. @returns `null` when the graph has reached the limit; nothing is changed */
  put(tenantId: string, alias: GraphAlias, most: number): Promise<{ readonly isNew: boolean } | null>;
  find(reference: AliasReference): Promise<GraphAlias | null>;
  /** Lists the aliases of a graph by name. */
  list(tenantId: string, name: string, page: PageRequest): Promise<Page<GraphAlias>>;
  /** Removes an alias if it exists. */
  remove(reference: AliasReference): Promise<void>;
}

/** @internal */
export function createGraphAliases(db: Kysely<Tables>): GraphAliases {
  const aliases = (tenantId: string, name: string) =>
    db.selectFrom('graph_aliases').selectAll().where('tenant_id', '=', tenantId).where('name', '=', name);
  return {
    put: (tenantId, alias, most) => putAliasRow(db, tenantId, alias, most),
    async find({ tenantId, name, alias }) {
      const row = await aliases(tenantId, name).where('alias', '=', alias).executeTakeFirst();
      return row ? toAlias(row) : null;
    },
    async list(tenantId, name, { limit, after }) {
      const rows = aliases(tenantId, name);
      const page = await readPage(db, after ? rows.where('alias', '>', after.id) : rows, {
        limit,
        order: sql`alias`,
        positionOf: ({ alias, updated_at }) => ({ at: updated_at.toISOString(), id: alias }),
      });
      return mapPage(page, toAlias);
    },
    async remove({ tenantId, name, alias }) {
      await db
        .deleteFrom('graph_aliases')
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .where('alias', '=', alias)
        .execute();
    },
  };
}

/** Aliases of a graph are written one at a time, so that their count is exact. */
async function putAliasRow(
  db: Kysely<Tables>,
  tenantId: string,
  { name, alias, version, canary, updatedAt, by }: GraphAlias,
  most: number,
): Promise<{ readonly isNew: boolean } | null> {
  const values = {
    version,
    canary_version: canary?.version ?? null,
    canary_share: canary?.share ?? null,
    updated_at: updatedAt,
    updated_by: by,
  };
  const graph = { tenant_id: tenantId, name };
  const put = await putUpTo(db, `aliases of ${tenantId}/${name}`, most, {
    existing: (transaction) =>
      transaction
        .updateTable('graph_aliases')
        .set(values)
        .where((is) => is.and({ ...graph, alias }))
        .returning('alias'),
    count: (transaction) =>
      transaction
        .selectFrom('graph_aliases')
        .select(ROW_COUNT)
        .where((is) => is.and(graph)),
    insert: (transaction) =>
      transaction
        .insertInto('graph_aliases')
        .values({ ...graph, alias, ...values })
        .returning('alias'),
  });
  return put && { isNew: put.isNew };
}

function toAlias(row: Selectable<GraphAliasesTable>): GraphAlias {
  const { name, alias, version, canary_version, canary_share, updated_at, updated_by } = row;
  return {
    name,
    alias,
    version,
    canary: canary_version === null || canary_share === null ? null : { version: canary_version, share: canary_share },
    updatedAt: updated_at.toISOString(),
    by: updated_by,
  };
}

/** Identifies a version of a tenant's graph. */
export interface VersionReference {
  readonly tenantId: string;
  readonly name: string;
  readonly version: number;
}

export interface GraphVersions {
  /** Lists all versions of a graph, newest first, including unpublished ones. */
  list(tenantId: string, name: string, page: PageRequest): Promise<Page<GraphSummary>>;
  /** Unpublishes a version; an unpublished one is not changed. @returns false when there is no such version */
  unpublish(reference: VersionReference, by: string, at: string): Promise<boolean>;
}

/** @internal */
export function createGraphVersions(db: Kysely<Tables>): GraphVersions {
  return {
    async list(tenantId, name, { limit, after }) {
      const versions = summaries(db, tenantId).where('name', '=', name);
      const page = await readPage(db, after ? versions.where('version', '<', Number(after.id)) : versions, {
        limit,
        order: sql`version desc`,
        positionOf: ({ version, created_at }) => ({ at: created_at.toISOString(), id: String(version) }),
      });
      return mapPage(page, toGraphSummary);
    },
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
