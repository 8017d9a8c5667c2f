import { sql } from 'kysely';
import type { Kysely, RawBuilder, Selectable } from 'kysely';
import { isBefore, isEqual, mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables, AuditTable } from './tables.ts';

/** Something that was done. */
export interface Act {
  /** Such as `run.cancel`. */
  readonly action: string;
  /** The id or name of what it was done to; `null`: it has none. */
  readonly subject: string | null;
}

/** Acts of one request. */
export interface NewEntries {
  /** Equal for all tries of the request: an act that is recorded already is not recorded again. */
  readonly id: string;
  readonly requestId: string;
  readonly at: string;
  readonly acts: readonly Act[];
  readonly by: { readonly sub: string; readonly tenantId: string; readonly roles: readonly string[] };
  /** The tenant of the things, where they are no tenants, runs, approvals or schedules, which say it themselves. */
  readonly tenantId: string;
}

/** What was done, by whom and when. */
export interface AuditEntry extends Act {
  readonly id: string;
  readonly at: string;
  /** The tenant of the thing. */
  readonly tenantId: string;
  readonly runId: string | null;
  readonly by: string;
  /** The tenant of who has done it. */
  readonly byTenantId: string;
  /** The roles that this one had then. */
  readonly roles: readonly string[];
  readonly requestId: string;
}

export interface AuditFilter {
  readonly tenantId?: string | undefined;
  readonly by?: string | undefined;
  /** Whole, or its first part, such as `run`. */
  readonly action?: string | undefined;
  readonly runId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The record of what people have done over HTTP. */
export interface Audit {
  add(entries: NewEntries): Promise<void>;
  /** Removes what was added of a request that was refused. */
  withdraw(entries: Pick<NewEntries, 'id' | 'acts'>): Promise<void>;
  /** The newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes what is older. @returns the number of entries */
  forgetBefore(time: string): Promise<number>;
}

export function createAudit(db: Kysely<Tables>): Audit {
  return {
    add: (entries) => add(db, entries),
    withdraw: (entries) => withdraw(db, entries),
    list: (filter, page) => list(db, filter, page),
    async forgetBefore(time) {
      const { numDeletedRows } = await db
        .deleteFrom('audit')
        .where(sql<boolean>`at < ${time}::timestamptz`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/**
 * Finds the run and the tenant of each subject in the same statement; a tenant is its own. Ids of runs, approvals and schedules
 * are all different.
 */
async function add(db: Kysely<Tables>, { id, requestId, at, acts, by, tenantId }: NewEntries): Promise<void> {
  await sql`
    insert into audit (id, at, tenant_id, action, subject, run_id, acted_by, acted_by_tenant, roles, request_id)
    select ${entryId(id)}, ${at}::timestamptz,
      coalesce(runs.tenant_id, asked.tenant_id, timed.tenant_id, case when action like 'tenant.%' then subject end, ${tenantId}),
      action, subject, coalesce(runs.id, asked.run_id), ${by.sub}, ${by.tenantId}, ${by.roles}::text[], ${requestId}
    from ${rowsOf(acts)}
      left join runs on action like 'run.%' and runs.id = subject
      left join approvals asked on action like 'approval.%' and asked.id = subject
      left join schedules timed on action like 'schedule.%' and timed.id = subject
    on conflict (id) do nothing
  `.execute(db);
}

async function withdraw(db: Kysely<Tables>, { id, acts }: Pick<NewEntries, 'id' | 'acts'>): Promise<void> {
  await sql`delete from audit where id in (select ${entryId(id)} from ${rowsOf(acts)})`.execute(db);
}

/** The id of an entry of a request, beside the columns of `rowsOf`. */
function entryId(id: string): RawBuilder<string> {
  return sql`${id} || '.' || encode(sha256(convert_to(acts.action || ' ' || coalesce(acts.subject, ''), 'UTF8')), 'hex')`;
}

/** Acts as rows. */
function rowsOf(acts: readonly Act[]): RawBuilder<unknown> {
  const actions = acts.map(({ action }) => action);
  const subjects = acts.map(({ subject }) => subject);
  return sql`unnest(${actions}::text[], ${subjects}::text[]) as acts (action, subject)`;
}

async function list(
  db: Kysely<Tables>,
  { tenantId, by, action, runId, from, to }: AuditFilter,
  { limit, after }: PageRequest,
): Promise<Page<AuditEntry>> {
  const rows = db
    .selectFrom('audit')
    .selectAll()
    .where(isEqual('tenant_id', tenantId))
    .where(isEqual('acted_by', by))
    .where(isEqual('run_id', runId))
    .where(
      action === undefined
        ? sql<boolean>`true`
        : sql<boolean>`(action = ${action} or starts_with(action, ${`${action}.`}))`,
    )
    .where(from === undefined ? sql<boolean>`true` : sql<boolean>`at >= ${from}::timestamptz`)
    .where(to === undefined ? sql<boolean>`true` : sql<boolean>`at < ${to}::timestamptz`)
    .where(isBefore('at', after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`at desc, id desc`,
    payloads: [],
    positionOf: ({ at, id }) => ({ at: at.toISOString(), id }),
  });
  return mapPage(page, toEntry);
}

function toEntry(row: Selectable<AuditTable>): AuditEntry {
  const { id, at, tenant_id, action, subject, run_id, acted_by, acted_by_tenant, roles, request_id } = row;
  return {
    id,
    at: at.toISOString(),
    tenantId: tenant_id,
    action,
    subject,
    runId: run_id,
    by: acted_by,
    byTenantId: acted_by_tenant,
    roles,
    requestId: request_id,
  };
}
