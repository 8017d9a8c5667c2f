import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import { keepDefinition, retryIfDefinitionDeleted } from './definitions.ts';
import type { KeptDivergence } from './column-values.ts';
import type { Tables } from './tables.ts';
import { enqueueRun } from './thread-queue.ts';
import type { QueuePosition } from './thread-queue.ts';

/** The properties of a run that are known when it is accepted. */
export interface RunOrigin {
  readonly id: string;
  readonly tenantId: string;
  readonly graph: { readonly name: string; readonly version: number | null; readonly hash: string };
  readonly threadId: string | null;
  readonly parentRunId: string | null;
  readonly input: JsonObject;
  readonly limits: JsonObject;
  readonly metadata: JsonObject;
  /** The redaction for callers without `payload:read`. */
  readonly redaction: Redaction;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** A run as it is accepted, before its workflow starts. */
export interface NewRun extends RunOrigin {
  /** The graph as its author published it; the graph's hash is computed from this. */
  readonly definition: JsonObject;
  /** What to do when another run of the thread is active. */
  readonly onBusy: 'reject' | 'enqueue' | 'interrupt';
  /** Set for a replay, which has no workflow. */
  readonly replay: { readonly of: string; readonly divergence: KeptDivergence | null } | null;
  /** The input of the run's workflow. */
  readonly start: Json;
}

/**
 * Adds a run. Adding the same id again has no effect.
 * @param claimUntil if the result is `claimed`, the caller must dispatch the run before this time
 * @returns `busy` when the thread does not accept the run now; `claimed` when the run is new and belongs to no thread
 * @internal
 */
export async function acceptRun(
  db: Kysely<Tables>,
  run: NewRun,
  claimUntil: string | null,
): Promise<'accepted' | 'claimed' | 'busy'> {
  const { threadId } = run;
  if (threadId !== null)
    return await db.transaction().execute((transaction) => acceptOnThread(transaction, run, threadId));
  const isNew = await retryIfDefinitionDeleted(() => insertAlone(db, run, claimUntil ?? run.createdAt));
  return isNew && claimUntil !== null ? 'claimed' : 'accepted';
}

/**
 * Adds a run without a thread, with its definition, in one statement.
 * @returns false when the id exists
 * @throws the errors that `retryIfDefinitionDeleted` handles
 * @internal
 */
export async function insertAlone(db: Kysely<Tables>, run: NewRun, dispatchAfter = run.createdAt): Promise<boolean> {
  const { graph, definition } = run;
  const row = { ...toRunRow(run), ...toQueueColumns(NO_THREAD, run), dispatch_after: dispatchAfter };
  const { numInsertedOrUpdatedRows } = await db
    .with('kept', (query) =>
      query
        .insertInto('definitions')
        .values({ hash: graph.hash, definition: JSON.stringify(definition) })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .insertInto('runs')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function acceptOnThread(
  transaction: Transaction<Tables>,
  run: NewRun,
  threadId: string,
): Promise<'accepted' | 'busy'> {
  const { id, tenantId, onBusy, createdAt: at } = run;
  const isKnown = await transaction.selectFrom('runs').select('id').where('id', '=', id).executeTakeFirst();
  if (isKnown) return 'accepted';
  const position = await enqueueRun(transaction, { runId: id, tenantId, threadId, at }, onBusy !== 'reject');
  if (position.kind === 'busy') return 'busy';
  await keepDefinition(transaction, run.graph.hash, run.definition);
  await transaction
    .insertInto('runs')
    .values({ ...toRunRow(run), ...toQueueColumns(position, run) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return 'accepted';
}

function toRunRow(run: NewRun) {
  const { replay } = run;
  return {
    id: run.id,
    tenant_id: run.tenantId,
    status: 'queued' as const,
    graph_name: run.graph.name,
    graph_version: run.graph.version,
    graph_hash: run.graph.hash,
    thread_id: run.threadId,
    parent_run_id: run.parentRunId,
    start: JSON.stringify(run.start),
    input: JSON.stringify(run.input),
    limits: JSON.stringify(run.limits),
    metadata: JSON.stringify(run.metadata),
    labels: metadataLabelsOf(run.metadata),
    redaction: JSON.stringify(run.redaction),
    created_by: run.createdBy,
    created_at: run.createdAt,
    execution: 1,
    last_seq: 0,
    ...(replay && {
      replay_of: replay.of,
      divergence: replay.divergence && JSON.stringify(replay.divergence),
      dispatched_at: run.createdAt,
    }),
  };
}

function toQueueColumns(position: QueuePosition, { onBusy, createdAt }: NewRun) {
  const isActive = position.kind === 'active';
  return {
    is_dequeued: isActive,
    predecessor_id: isActive ? position.predecessorId : null,
    interrupts: !isActive && onBusy === 'interrupt',
    dispatch_after: createdAt,
  };
}

const NO_THREAD: QueuePosition = { kind: 'active', predecessorId: null };

/** The most metadata fields of a run that filters can find; further fields are only returned. */
const MAX_LABELS = 64;

type Scalar = string | number | boolean;

const isScalar = (value: Json): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

/** Returns the searchable labels of a run: one for each string, number and boolean at the top level of its metadata. */
function metadataLabelsOf(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata)
    .flatMap(([key, value]) => (isScalar(value) ? [{ key, value }] : []))
    .slice(0, MAX_LABELS)
    .map(({ key, value }) => metadataLabelOf(key, value));
}

/**
 * Returns a label of 22 characters for a field and its value, however long these are. `3` and `"3"` have the same
 * label.
 */
export function metadataLabelOf(key: string, value: Scalar): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([key, String(value)]))
    .digest();
  return digest.subarray(0, 16).toString('base64url');
}
