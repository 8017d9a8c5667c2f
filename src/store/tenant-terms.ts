import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { ROW_COUNT, putUpTo } from './database/run-statement.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { QuotaTerms } from './column-values.ts';
import type { Tables, TenantTermsTable } from './tables.ts';

/** The terms that administrators have set for a tenant. */
export interface TenantTerms {
  readonly tenantId: string;
  readonly quota: QuotaTerms;
  /** `null` when the tenant may start runs. */
  readonly suspended: { readonly reason: string; readonly since: string } | null;
  /** RFC 3339. */
  readonly changedAt: string;
  readonly changedBy: string;
}

/** New terms. Without `suspended`, the suspension is not changed. */
export type NewTenantTerms = Omit<TenantTerms, 'suspended'> & { readonly suspended?: TenantTerms['suspended'] };

export interface AllTenantTerms {
  /** Creates or replaces the terms of a tenant. @returns `null` when the limit is reached; nothing is changed */
  put(terms: NewTenantTerms, most: number): Promise<{ readonly isNew: boolean } | null>;
  find(tenantId: string): Promise<TenantTerms | null>;
  /** Lists terms by tenant. */
  list(page: PageRequest): Promise<Page<TenantTerms>>;
  /** Deletes the terms of a tenant, so that the configuration applies. */
  remove(tenantId: string): Promise<void>;
  all(): Promise<readonly TenantTerms[]>;
}

/** @internal */
export function createTenantTerms(db: Kysely<Tables>): AllTenantTerms {
  const all = db.selectFrom('tenant_terms').selectAll();
  return {
    put: (terms, most) => putTermsRow(db, terms, most),
    async find(tenantId) {
      const row = await all.where('tenant_id', '=', tenantId).executeTakeFirst();
      return row ? toTenantTerms(row) : null;
    },
    async list({ limit, after }) {
      const page = await readPage(db, after ? all.where('tenant_id', '>', after.id) : all, {
        limit,
        order: sql`tenant_id`,
        positionOf: ({ tenant_id }) => ({ at: '', id: tenant_id }),
      });
      return mapPage(page, toTenantTerms);
    },
    async remove(tenantId) {
      await db.deleteFrom('tenant_terms').where('tenant_id', '=', tenantId).execute();
    },
    all: async () => (await all.execute()).map(toTenantTerms),
  };
}

/** A tenant that stays suspended keeps the time of the first suspension. */
async function putTermsRow(
  db: Kysely<Tables>,
  { tenantId, quota, suspended, changedAt, changedBy }: NewTenantTerms,
  most: number,
): Promise<{ readonly isNew: boolean } | null> {
  const values = {
    quota: JSON.stringify(quota),
    ...(suspended !== undefined && { suspended_reason: suspended?.reason ?? null }),
    changed_at: changedAt,
    changed_by: changedBy,
  };
  const since = suspended && sql<string>`coalesce(suspended_at, ${suspended.since}::timestamptz)`;
  const put = await putUpTo(db, 'terms of tenants', most, {
    existing: (transaction) =>
      transaction
        .updateTable('tenant_terms')
        .set({ ...values, ...(since !== undefined && { suspended_at: since }) })
        .where('tenant_id', '=', tenantId)
        .returning('tenant_id'),
    count: (transaction) => transaction.selectFrom('tenant_terms').select(ROW_COUNT),
    insert: (transaction) =>
      transaction
        .insertInto('tenant_terms')
        .values({ tenant_id: tenantId, ...values, suspended_at: suspended?.since ?? null })
        .returning('tenant_id'),
  });
  return put && { isNew: put.isNew };
}

function toTenantTerms(row: Selectable<TenantTermsTable>): TenantTerms {
  const { tenant_id, quota, suspended_at, suspended_reason, changed_at, changed_by } = row;
  return {
    tenantId: tenant_id,
    quota,
    suspended: suspended_at && { reason: suspended_reason ?? '', since: suspended_at.toISOString() },
    changedAt: changed_at.toISOString(),
    changedBy: changed_by,
  };
}
