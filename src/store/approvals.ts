import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Approval } from '../graph/run/index.ts';
import { isBefore, isEqual, mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables } from './tables.ts';

export interface ApprovalFilter {
  readonly status?: Approval['status'] | undefined;
  readonly runId?: string | undefined;
  /** The name of the graph of the run. */
  readonly graph?: string | undefined;
  /** The tool that is asked about. */
  readonly tool?: string | undefined;
  /** Those that expire before this time. */
  readonly dueBefore?: string | undefined;
}

/** An approval with its tenant. */
export interface ApprovalRecord {
  readonly tenantId: string;
  readonly approval: Approval;
}

export interface Approvals {
  find(id: string): Promise<ApprovalRecord | null>;
  /** The approvals of a run, oldest first, by default all of any status. */
  ofRun(runId: string, status?: Approval['status'], most?: number): Promise<readonly Approval[]>;
  /** One approval of a run, and the oldest that are pending beside it, as they are at one moment. */
  withPending(runId: string, id: string, most: number): Promise<readonly Approval[]>;
  /** The inbox of a tenant, newest first. */
  list(tenantId: string, filter: ApprovalFilter, page: PageRequest): Promise<Page<Approval>>;
}

export function createApprovals(db: Kysely<Tables>): Approvals {
  return {
    async find(id) {
      const row = await db
        .selectFrom('approvals')
        .select(['tenant_id', 'body'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? { tenantId: row.tenant_id, approval: row.body } : null;
    },
    async ofRun(runId, status, most) {
      const rows = await db
        .selectFrom('approvals')
        .select('body')
        .where('run_id', '=', runId)
        .where(isEqual('status', status))
        .orderBy('requested_at')
        .orderBy('id')
        .limit(most ?? null)
        .execute();
      return rows.map(({ body }) => body);
    },
    async withPending(runId, id, most) {
      const ofRun = db.selectFrom('approvals').select('body').where('run_id', '=', runId);
      const pending = ofRun
        .where('status', '=', 'pending')
        .where('id', '!=', id)
        .orderBy('requested_at')
        .orderBy('id')
        .limit(most);
      const rows = await ofRun
        .where('id', '=', id)
        .unionAll(db.selectFrom(pending.as('pending')).select('pending.body'))
        .execute();
      return rows.map(({ body }) => body);
    },
    list: (tenantId, filter, page) => list(db, { tenantId, filter }, page),
  };
}

function isOfGraph(tenantId: string, graph: string | undefined): RawBuilder<boolean> {
  if (graph === undefined) return sql<boolean>`true`;
  return sql<boolean>`run_id in (select id from runs where tenant_id = ${tenantId} and graph_name = ${graph})`;
}

function isDueBefore(time: string | undefined): RawBuilder<boolean> {
  return time === undefined ? sql<boolean>`true` : sql<boolean>`expires_at < ${time}::timestamptz`;
}

async function list(
  db: Kysely<Tables>,
  { tenantId, filter }: { tenantId: string; filter: ApprovalFilter },
  { limit, after }: PageRequest,
): Promise<Page<Approval>> {
  const rows = db
    .selectFrom('approvals')
    .select(['id', 'requested_at', 'body'])
    .where('tenant_id', '=', tenantId)
    .where(isEqual('status', filter.status))
    .where(isEqual('run_id', filter.runId))
    .where(isEqual('tool', filter.tool))
    .where(isOfGraph(tenantId, filter.graph))
    .where(isDueBefore(filter.dueBefore))
    .where(isBefore('requested_at', after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`requested_at desc, id desc`,
    payloads: ['body'],
    positionOf: ({ body: { id, requestedAt } }) => ({ at: requestedAt, id }),
  });
  return mapPage(page, ({ body }) => body);
}
