import { sql } from 'kysely';
import type { Kysely, RawBuilder, Selectable } from 'kysely';
import { ifGiven, isBeforePosition, isEqual, mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables, AuditTable } from './tables.ts';

/** An act that is recorded in the audit log. */
export interface AuditedAct {
  /** The action, such as `run.cancel`. */
  readonly action: string;
  /** The id or name of the changed resource; `null` when there is none. */
  readonly subject: string | null;
}

/** The acts of one request. */
export interface NewEntries {
  /** The same for all attempts of the request, so that an act is recorded only once. */
  readonly id: string;
  readonly requestId: string;
  readonly at: string;
  readonly acts: readonly AuditedAct[];
  readonly by: { readonly sub: string; readonly tenantId: string; readonly roles: readonly string[] };
  /** The tenant of the subjects that do not determine it themselves; tenants, runs, approvals and schedules do. */
  readonly tenantId: string;
  /** True if the actor may act on subjects of other tenants. Otherwise a subject of another tenant does not count. */
  readonly crossesTenants: boolean;
}

/** A recorded act with its actor and time. */
export interface AuditEntry extends AuditedAct {
  readonly id: string;
  readonly at: string;
  /** The tenant of the subject. */
  readonly tenantId: string;
  readonly runId: string | null;
  readonly by: string;
  /** The tenant of the actor. */
  readonly byTenantId: string;
  /** The roles that the actor had at that time. */
  readonly roles: readonly string[];
  readonly requestId: string;
}

export interface AuditFilter {
  readonly tenantId?: string | undefined;
  readonly by?: string | undefined;
  /** The whole action or its first part, such as `run`. */
  readonly action?: string | undefined;
  readonly runId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The audit log of acts over HTTP. */
export interface Audit {
  add(entries: NewEntries): Promise<void>;
  /** Removes the acts of a request that was refused. */
  withdraw(entries: Pick<NewEntries, 'id' | 'acts'>): Promise<void>;
  /** Lists entries, newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes entries that are older than a time. @returns the number of deleted entries */
  forgetBefore(time: string): Promise<number>;
}

/** @internal */
export function createAudit(db: Kysely<Tables>): Audit {
  return {
    add: (entries) => addAuditEntries(db, entries),
    async withdraw({ id, acts }) {
      await sql`delete from audit where id in (select ${entryId(id)} from ${toAuditRows(acts)})`.execute(db);
    },
    async list({ tenantId, by, action, runId, from, to }, { limit, after }) {
      const rows = db
        .selectFrom('audit')
        .selectAll()
        .where(isEqual('tenant_id', tenantId))
        .where(isEqual('acted_by', by))
        .where(isEqual('run_id', runId))
        .where(ifGiven(action, (given) => sql`(action = ${given} or starts_with(action, ${`${given}.`}))`))
        .where(ifGiven(from, (time) => sql`at >= ${time}::timestamptz`))
        .where(ifGiven(to, (time) => sql`at < ${time}::timestamptz`))
        .where(isBeforePosition('at', after));
      const page = await readPage(db, rows, {
        limit,
        order: sql`at desc, id desc`,
        positionOf: ({ at, id }) => ({ at: at.toISOString(), id }),
      });
      return mapPage(page, toAuditEntry);
    },
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
 * Looks up the run and the tenant of each subject in the same statement; a tenant is its own subject. Ids of runs,
 * approvals and schedules never coincide.
 */
async function addAuditEntries(db: Kysely<Tables>, entries: NewEntries): Promise<void> {
  const { id, requestId, at, acts, by, tenantId, crossesTenants } = entries;
  const isReachable = (table: string) => sql`(${sql.ref(`${table}.tenant_id`)} = ${by.tenantId} or ${crossesTenants})`;
  await sql`
    insert into audit (id, at, tenant_id, action, subject, run_id, acted_by, acted_by_tenant, roles, request_id)
    select ${entryId(id)}, ${at}::timestamptz,
      coalesce(runs.tenant_id, approvals.tenant_id, schedules.tenant_id, case when action like 'tenant.%' then subject end, ${tenantId}),
      action, subject, coalesce(runs.id, approvals.run_id), ${by.sub}, ${by.tenantId}, ${by.roles}::text[], ${requestId}
    from ${toAuditRows(acts)}
      left join runs on action like 'run.%' and runs.id = subject and ${isReachable('runs')}
      left join approvals on action like 'approval.%' and approvals.id = subject and ${isReachable('approvals')}
      left join schedules on action like 'schedule.%' and schedules.id = subject and ${isReachable('schedules')}
    on conflict (id) do nothing
  `.execute(db);
}

/** Builds the id of an entry in a statement that selects from `rowsOf`. */
function entryId(id: string): RawBuilder<string> {
  return sql`${id} || '.' || encode(sha256(convert_to(acts.action || ' ' || coalesce(acts.subject, ''), 'UTF8')), 'hex')`;
}

/** Turns acts into rows. */
function toAuditRows(acts: readonly AuditedAct[]): RawBuilder<unknown> {
  const actions = acts.map(({ action }) => action);
  const subjects = acts.map(({ subject }) => subject);
  return sql`unnest(${actions}::text[], ${subjects}::text[]) as acts (action, subject)`;
}

function toAuditEntry(row: Selectable<AuditTable>): AuditEntry {
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
