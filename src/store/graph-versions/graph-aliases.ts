import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { oneAtATime } from '../database/one-at-a-time.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import type { GraphAliasesTable } from './graph-aliases-table.ts';

/** A name for a version of a graph. */
export interface GraphAlias {
  readonly name: string;
  readonly alias: string;
  readonly version: number;
  /** Another version, and the part of runs that get it, from 0 to 1. */
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
  /** Sets an alias, in place of what it was. @returns `null`: it is new, and the graph has as many as it may have */
  put(tenantId: string, alias: GraphAlias, most: number): Promise<{ readonly isNew: boolean } | null>;
  find(reference: AliasReference): Promise<GraphAlias | null>;
  /** The aliases of a graph, by name. */
  list(tenantId: string, name: string, page: PageRequest): Promise<Page<GraphAlias>>;
  /** Removes an alias; without one it changes nothing. */
  remove(reference: AliasReference): Promise<void>;
}

export function createGraphAliases(db: Kysely<Tables>): GraphAliases {
  const aliases = (tenantId: string, name: string) =>
    db.selectFrom('graph_aliases').selectAll().where('tenant_id', '=', tenantId).where('name', '=', name);
  return {
    put: (tenantId, alias, most) => put(db, { tenantId, alias, most }),
    async find({ tenantId, name, alias }) {
      const row = await aliases(tenantId, name).where('alias', '=', alias).executeTakeFirst();
      return row ? toAlias(row) : null;
    },
    async list(tenantId, name, { limit, after }) {
      const rows = aliases(tenantId, name);
      const page = await readPage(db, after ? rows.where('alias', '>', after.id) : rows, {
        limit,
        order: sql`alias`,
        payloads: [],
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

interface AliasToPut {
  readonly tenantId: string;
  readonly alias: GraphAlias;
  readonly most: number;
}

/** Aliases of a graph are set one after the other, so that they can be counted. */
async function put(
  db: Kysely<Tables>,
  { tenantId, alias: { name, alias, version, canary, updatedAt, by }, most }: AliasToPut,
): Promise<{ readonly isNew: boolean } | null> {
  const values = {
    version,
    canary_version: canary?.version ?? null,
    canary_share: canary?.share ?? null,
    updated_at: updatedAt,
    updated_by: by,
  };
  return await oneAtATime(db, `aliases of ${tenantId}/${name}`, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('graph_aliases')
      .set(values)
      .where('tenant_id', '=', tenantId)
      .where('name', '=', name)
      .where('alias', '=', alias)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return { isNew: false };
    const { count } = await transaction
      .selectFrom('graph_aliases')
      .select(sql<number>`count(*)::integer`.as('count'))
      .where('tenant_id', '=', tenantId)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    if (count >= most) return null;
    await transaction
      .insertInto('graph_aliases')
      .values({ tenant_id: tenantId, name, alias, ...values })
      .execute();
    return { isNew: true };
  });
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
