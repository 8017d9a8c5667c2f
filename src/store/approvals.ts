import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Approval } from '../graph/run/index.ts';
import { ifGiven, isBeforePosition, isEqual, mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables } from './tables.ts';

export interface ApprovalFilter {
  /** Any of these statuses. */
  readonly status?: readonly Approval['status'][] | undefined;
  readonly runId?: string | undefined;
  /** The name of the run's graph. */
  readonly graph?: string | undefined;
  /** The tool whose call must be approved. */
  readonly tool?: string | undefined;
  /** Only approvals that expire before this time. */
  readonly dueBefore?: string | undefined;
}

/**
 * The time by which a list is ordered, the latest first. Ordered by `closedAt`, a list contains no pending approvals.
 */
export type ApprovalOrder = 'requestedAt' | 'closedAt';

/** An approval with the fields that are stored only in its row. */
export interface KnownApproval extends Approval {
  /** The name of the run's graph. */
  readonly graph?: string;
  /** Absent while the approval is pending. */
  readonly closedAt?: string;
}

/** An approval with its tenant. */
export interface ApprovalRecord {
  readonly tenantId: string;
  readonly approval: KnownApproval;
}

/** The filter and the order of a list, by default by the time of the request. */
export interface ApprovalQuery extends ApprovalFilter {
  readonly order?: ApprovalOrder | undefined;
}

export interface Approvals {
  find(id: string): Promise<ApprovalRecord | null>;
  /** Lists the approvals of a run, oldest first; by default all, of any status. */
  ofRun(runId: string, status?: Approval['status'], most?: number): Promise<readonly Approval[]>;
  /** Reads one approval of a run and the oldest other pending ones, in one consistent read. */
  withPending(runId: string, id: string, most: number): Promise<readonly Approval[]>;
  /** Lists the approvals of a tenant, newest first. */
  list(tenantId: string, query: ApprovalQuery, page: PageRequest): Promise<Page<KnownApproval>>;
}

/** @internal */
export function createApprovals(db: Kysely<Tables>): Approvals {
  return {
    async find(id) {
      const row = await db
        .selectFrom('approvals')
        .select(['tenant_id', 'closed_at', 'body', GRAPH_NAME])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? { tenantId: row.tenant_id, approval: toKnownApproval(row) } : null;
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
    list: (tenantId, query, page) => listApprovals(db, tenantId, query, page),
  };
}

const GRAPH_NAME = sql<string | null>`(select graph_name from runs where runs.id = approvals.run_id)`.as('graph_name');

interface KnownRow {
  readonly body: Approval;
  readonly closed_at: Date | null;
  readonly graph_name: string | null;
}

function toKnownApproval({ body, closed_at: closedAt, graph_name: graph }: KnownRow): KnownApproval {
  return {
    ...body,
    ...(graph !== null && { graph }),
    ...(closedAt && { closedAt: new Date(closedAt).toISOString() }),
  };
}

function isOneOf(statuses: readonly string[]): RawBuilder<boolean> {
  // The index provides the order only if a single status is selected.
  return statuses.length === 1 ? isEqual('status', statuses[0]) : sql`status = any(${[...statuses]}::text[])`;
}

/** The columns by which lists are ordered. */
const ORDERS = { requestedAt: 'requested_at', closedAt: 'closed_at' } as const;

async function listApprovals(
  db: Kysely<Tables>,
  tenantId: string,
  { status, runId, tool, graph, dueBefore, order = 'requestedAt' }: ApprovalQuery,
  { limit, after }: PageRequest,
): Promise<Page<KnownApproval>> {
  const column = ORDERS[order];
  const rows = db
    .selectFrom('approvals')
    .select(['id', 'requested_at', 'closed_at', 'body', GRAPH_NAME])
    .where('tenant_id', '=', tenantId)
    .where(column, 'is not', null)
    .where(ifGiven(status, isOneOf))
    .where(isEqual('run_id', runId))
    .where(isEqual('tool', tool))
    .where(
      ifGiven(
        graph,
        (name) => sql`run_id in (select id from runs where tenant_id = ${tenantId} and graph_name = ${name})`,
      ),
    )
    .where(ifGiven(dueBefore, (time) => sql`expires_at < ${time}::timestamptz`))
    .where(isBeforePosition(column, after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`${sql.ref(column)} desc, id desc`,
    payloads: ['body'],
    positionOf: (row) => ({ at: new Date(row[column] ?? row.requested_at).toISOString(), id: row.id }),
  });
  return mapPage(page, toKnownApproval);
}
