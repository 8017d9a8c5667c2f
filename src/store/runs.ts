import type { Kysely } from 'kysely';
import type { Json, JsonObject } from '../graph/json.ts';
import type { RunStatus } from '../graph/run.ts';
import type { RunView } from '../graph/run-view.ts';
import { isAfterTime, isBefore, isEqual, toPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables } from './tables.ts';

/** A run as the store has it. */
export interface RunRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly status: RunStatus;
  readonly graph: { readonly name: string; readonly version: number | null; readonly hash: string };
  readonly threadId: string | null;
  readonly parentRunId: string | null;
  readonly input: JsonObject;
  readonly limits: JsonObject;
  readonly metadata: JsonObject;
  /** Channels whose values only some may see in the history. */
  readonly redacted: readonly string[];
  readonly createdBy: string;
  readonly createdAt: string;
  /** Temporal has taken the workflow. */
  readonly isHandedOver: boolean;
  /** The run after the last event that was written; `null` before the first. */
  readonly view: RunView | null;
  readonly lastSeq: number;
}

export interface NewRun {
  readonly id: string;
  readonly tenantId: string;
  readonly graph: { readonly name: string; readonly version: number | null; readonly hash: string };
  readonly threadId: string | null;
  readonly input: JsonObject;
  readonly limits: JsonObject;
  readonly metadata: JsonObject;
  /** Channels whose values only some may see in the history. */
  readonly redacted: readonly string[];
  readonly createdBy: string;
  readonly createdAt: string;
  /** What its workflow is started with. */
  readonly start: Json;
}

export interface RunFilter {
  readonly status?: RunStatus | undefined;
  readonly graph?: string | undefined;
  readonly threadId?: string | undefined;
  readonly createdAfter?: string | undefined;
}

export interface Runs {
  /** Accepts a run. Accepting the same id again changes nothing. */
  create(run: NewRun): Promise<void>;
  find(id: string): Promise<RunRecord | null>;
  list(tenantId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>>;
  /** Notes that Temporal has the workflow. */
  markHandedOver(id: string, at: string): Promise<void>;
  /** Accepted runs that Temporal has not taken, the oldest first. */
  toHandOver(acceptedBefore: string, limit: number): Promise<readonly { readonly id: string; readonly start: Json }[]>;
  startOf(id: string): Promise<Json | null>;
}

export function createRuns(db: Kysely<Tables>): Runs {
  return {
    create: (run) => create(db, run),
    find: async (id) => {
      const row = await records(db).where('id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },
    list: (tenantId, filter, page) => list(db, { tenantId, filter }, page),
    markHandedOver: async (id, at) => {
      await db
        .updateTable('runs')
        .set({ handed_over_at: at })
        .where('id', '=', id)
        .where('handed_over_at', 'is', null)
        .execute();
    },
    toHandOver: (acceptedBefore, limit) =>
      db
        .selectFrom('runs')
        .select(['id', 'start'])
        .where('handed_over_at', 'is', null)
        .where('created_at', '<', new Date(acceptedBefore))
        .orderBy('created_at')
        .limit(limit)
        .execute(),
    startOf: async (id) =>
      (await db.selectFrom('runs').select('start').where('id', '=', id).executeTakeFirst())?.start ?? null,
  };
}

async function create(db: Kysely<Tables>, run: NewRun): Promise<void> {
  await db
    .insertInto('runs')
    .values({
      id: run.id,
      tenant_id: run.tenantId,
      status: 'queued',
      graph_name: run.graph.name,
      graph_version: run.graph.version,
      graph_hash: run.graph.hash,
      thread_id: run.threadId,
      parent_run_id: null,
      start: JSON.stringify(run.start),
      input: JSON.stringify(run.input),
      limits: JSON.stringify(run.limits),
      metadata: JSON.stringify(run.metadata),
      redacted: JSON.stringify(run.redacted),
      created_by: run.createdBy,
      created_at: run.createdAt,
      last_seq: 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

function records(db: Kysely<Tables>) {
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
      'input',
      'limits',
    ])
    .select(['metadata', 'redacted', 'created_by', 'created_at', 'handed_over_at', 'view', 'last_seq']);
}

async function list(
  db: Kysely<Tables>,
  { tenantId, filter }: { tenantId: string; filter: RunFilter },
  { limit, after }: PageRequest,
): Promise<Page<RunRecord>> {
  const { status, graph, threadId, createdAfter } = filter;
  const rows = await records(db)
    .where('tenant_id', '=', tenantId)
    .where(isEqual('status', status))
    .where(isEqual('graph_name', graph))
    .where(isEqual('thread_id', threadId))
    .where(isAfterTime('created_at', createdAfter))
    .where(isBefore('created_at', after))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows.map(toRecord), limit, ({ id, createdAt }) => ({ at: createdAt, id }));
}

type RunRow = Awaited<ReturnType<ReturnType<typeof records>['executeTakeFirstOrThrow']>>;

function toRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    graph: { name: row.graph_name, version: row.graph_version, hash: row.graph_hash },
    threadId: row.thread_id,
    parentRunId: row.parent_run_id,
    input: row.input,
    limits: row.limits,
    metadata: row.metadata,
    redacted: row.redacted,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    isHandedOver: row.handed_over_at !== null,
    view: row.view,
    lastSeq: row.last_seq,
  };
}
