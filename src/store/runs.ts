import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Json } from '../graph/values/index.ts';
import { isEnded } from '../graph/run/index.ts';
import type { RunStatus } from '../graph/run/index.ts';
import type { JournalBatch, RunView } from '../graph/journal/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { acceptRun, insertAlone, metadataLabelOf } from './accept-run.ts';
import type { NewRun, RunOrigin } from './accept-run.ts';
import { retryIfDefinitionDeleted } from './definitions.ts';
import { createJournal } from './journal.ts';
import { NEWEST_FIRST, ifGiven, isBeforePosition, isEqual, mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { KeptDivergence } from './column-values.ts';
import type { Tables } from './tables.ts';
import { WAITS_FOR_INTERVENTION } from './interventions.ts';

/** A stored run. Its limits are those from its start, with those that retries have changed. */
export interface RunRecord extends RunOrigin {
  readonly status: RunStatus;
  /** The run whose recorded answers this one replays. */
  readonly replayOf: string | null;
  readonly divergence: KeptDivergence | null;
  readonly predecessorId: string | null;
  readonly dispatch: Dispatch;
  /** The runs that were forked from this one. */
  readonly forks: readonly string[];
  /** The run after its last written event; `null` before the first event. */
  readonly view: RunView | null;
  readonly lastSeq: number;
}

/** The dispatch state of a run's latest execution. */
export type Dispatch =
  /** The run waits in the queue of its thread. */
  | { readonly kind: 'queued' }
  /** Temporal does not have the workflow yet. */
  | { readonly kind: 'pending'; readonly problem: DispatchProblem | null }
  /** Temporal has the workflow. */
  | { readonly kind: 'dispatched' };

/** Why the workflow could not be started in Temporal so far. */
export interface DispatchProblem {
  readonly reason: string;
  /** The time of the first failed attempt (RFC 3339). */
  readonly since: string;
}

/** Returns true if a workflow executes the run, so that the run's row may be older than the workflow's state. */
export function isDispatchedAndOpen({ status, dispatch }: Pick<RunRecord, 'status' | 'dispatch'>): boolean {
  return dispatch.kind === 'dispatched' && !isEnded(status);
}

export interface Runs {
  /** Accepts a run. @param claimUntil, @returns as `acceptRun` */
  create(run: NewRun, claimUntil?: string): Promise<'accepted' | 'claimed' | 'busy'>;
  /** Stores a run that has already ended, with its journal. Storing the same id again has no effect. */
  createEnded(run: NewRun, batches: readonly JournalBatch[]): Promise<void>;
  find(id: string): Promise<RunRecord | null>;
  list(tenantId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>>;
  /** Lists the runs of all tenants, or of the one that the filter names. */
  listOfAll(filter: CrossTenantFilter, page: PageRequest): Promise<Page<RunRecord>>;
  /** Reads the input of the run's workflow. */
  startOf(id: string): Promise<Json | null>;
  /** Replaces the redaction of a run that has not begun. */
  setRedaction(id: string, redaction: Redaction): Promise<void>;
  /** Reads the redaction of each of some runs, by run id. */
  redactionOfRuns(ids: readonly string[]): Promise<ReadonlyMap<string, Redaction>>;
  /** Lists the ids of a run, its ancestors, and all forks of these. */
  family(id: string): Promise<readonly string[]>;
}

/** @internal */
export function createRuns(db: Kysely<Tables>): Runs {
  return {
    create: (run, claimUntil) => acceptRun(db, run, claimUntil ?? null),
    createEnded: (run, batches) =>
      retryIfDefinitionDeleted(() =>
        db.transaction().execute(async (transaction) => {
          await insertAlone(transaction, run);
          const writer = { runId: run.id, tenantId: run.tenantId, executionRunId: '' };
          for (const batch of batches) await createJournal(transaction).write(batch, writer);
        }),
      ),
    find: async (id) => {
      const row = await selectRecords(db).where('id', '=', id).executeTakeFirst();
      return row ? toRunRecord(row) : null;
    },
    list: (tenantId, filter, page) => listRuns(db, { ...filter, tenantId }, page),
    listOfAll: (filter, page) => listRuns(db, filter, page),
    startOf: async (id) =>
      (await db.selectFrom('runs').select('start').where('id', '=', id).executeTakeFirst())?.start ?? null,
    setRedaction: async (id, redaction) =>
      void (await db
        .updateTable('runs')
        .set({ redaction: JSON.stringify(redaction) })
        .where('id', '=', id)
        .execute()),
    async redactionOfRuns(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom('runs').select(['id', 'redaction']).where('id', 'in', ids).execute();
      return new Map(rows.map(({ id, redaction }) => [id, redaction]));
    },
    family: (id) => selectFamily(db, id),
  };
}

async function selectFamily(db: Kysely<Tables>, id: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive ancestors (id, parent_run_id) as (
      select id, parent_run_id from runs where id = ${id}
      union
      select runs.id, runs.parent_run_id from runs join ancestors on runs.id = ancestors.parent_run_id
    ), family (id) as (
      select id from ancestors
      union
      select runs.id from runs join family on runs.parent_run_id = family.id
    )
    select id from family
  `.execute(db);
  return rows.map((row) => row.id);
}

function selectRecords(db: Kysely<Tables>) {
  return db
    .selectFrom('runs')
    .select([
      'id',
      'tenant_id',
      'status',
      'graph_name',
      'graph_version',
      'graph_hash',
      'thread_id',
      'parent_run_id',
      'replay_of',
      'divergence',
      'predecessor_id',
      'input',
      'limits',
    ])
    .select([
      'metadata',
      'redaction',
      'created_by',
      'created_at',
      'dispatched_at',
      'dispatch_problem',
      'dispatch_problem_since',
      'is_dequeued',
      'started_at',
      'view',
      'last_seq',
    ])
    .select(
      sql<readonly string[]>`array(
        select fork.id from runs fork where fork.parent_run_id = runs.id order by fork.created_at, fork.id
      )`.as('forks'),
    );
}

async function listRuns(
  db: Kysely<Tables>,
  filter: CrossTenantFilter,
  { limit, after }: PageRequest,
): Promise<Page<RunRecord>> {
  const rows = selectRecords(db)
    .where((where) => where.and([...conditionsOfFilter(filter)]))
    .where(isBeforePosition('created_at', after));
  const page = await readPage(db, rows, {
    ...NEWEST_FIRST,
    limit,
    payloads: ['input', 'limits', 'metadata', 'redaction', 'divergence', 'view'],
  });
  return mapPage(page, toRunRecord);
}

type RunRow = Awaited<ReturnType<ReturnType<typeof selectRecords>['executeTakeFirstOrThrow']>>;

function toRunRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    graph: { name: row.graph_name, version: row.graph_version, hash: row.graph_hash },
    threadId: row.thread_id,
    parentRunId: row.parent_run_id,
    replayOf: row.replay_of,
    divergence: row.divergence,
    predecessorId: row.predecessor_id,
    input: row.input,
    limits: { ...row.limits, ...row.view?.raisedLimits },
    metadata: row.metadata,
    redaction: row.redaction,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    dispatch: toDispatch(row),
    forks: row.forks,
    view: row.view && { ...row.view, startedAt: row.started_at?.toISOString() ?? null },
    lastSeq: row.last_seq,
  };
}

/** Only a run that has left the queue of its thread can have been dispatched. */
function toDispatch(row: RunRow): Dispatch {
  const { is_dequeued, dispatched_at, dispatch_problem: reason, dispatch_problem_since: since } = row;
  if (!is_dequeued) return { kind: 'queued' };
  if (dispatched_at !== null) return { kind: 'dispatched' };
  const problem = reason === null || since === null ? null : { reason, since: since.toISOString() };
  return { kind: 'pending', problem };
}

/** Selects runs that fulfill all of the given conditions. */
export interface RunFilter {
  /** Any of these statuses. */
  readonly status?: readonly RunStatus[] | undefined;
  readonly graph?: string | undefined;
  readonly threadId?: string | undefined;
  readonly parentRunId?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** Selects failed runs, and runs that wait for an intervention. */
  readonly isRetryable?: true | undefined;
  /** Top-level metadata fields with their values as text. */
  readonly metadata?: readonly (readonly [key: string, value: string])[] | undefined;
}

/** Selects runs of all tenants, or of one. */
interface CrossTenantFilter extends RunFilter {
  readonly tenantId?: string | undefined;
}

/** Builds the conditions of a filter on rows of `runs`. */
function conditionsOfFilter(filter: CrossTenantFilter): readonly RawBuilder<boolean>[] {
  return [
    isEqual('tenant_id', filter.tenantId),
    ifGiven(filter.status, (status) => sql`status = any(${status}::text[])`),
    isEqual('graph_name', filter.graph),
    isEqual('thread_id', filter.threadId),
    isEqual('parent_run_id', filter.parentRunId),
    ifGiven(filter.createdAfter, (time) => sql`created_at > ${time}::timestamptz`),
    ifGiven(filter.createdBefore, (time) => sql`created_at < ${time}::timestamptz`),
    ifGiven(filter.isRetryable, () => sql`(status = 'failed' or ${WAITS_FOR_INTERVENTION})`),
    ifGiven(
      filter.metadata,
      (fields) => sql`labels @> ${fields.map(([key, value]) => metadataLabelOf(key, value))}::text[]`,
    ),
  ];
}
