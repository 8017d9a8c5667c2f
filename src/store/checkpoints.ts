import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Checkpoint } from '../graph/journal/index.ts';
import { lastCheckpointIdOf, foldUpTo, readLineage, reachesBackTo } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import type { Tables } from './tables.ts';
import { addSnapshot, replaceSnapshots } from './snapshots.ts';
import type { Snapshot } from './snapshots.ts';

/** A checkpoint with the complete state of its run. */
export interface StoredState extends Snapshot {
  readonly checkpoint: StoredCheckpoint;
}

export type StoredCheckpoint = Pick<
  Checkpoint,
  'id' | 'parentId' | 'seq' | 'step' | 'source' | 'next' | 'createdAt'
> & {
  readonly runId: string;
};

export interface Checkpoints {
  /** Finds a checkpoint by its id; `null` finds the newest. @returns `null` when there is none */
  find(runId: string, id: string | null): Promise<StoredCheckpoint | null>;
  /**
   * Computes the state at a checkpoint from the changes before it. After a long chain of changes, a snapshot is stored.
   * @returns `null` while a change is not written yet, because batches may be written in any order
   */
  stateOf(checkpoint: StoredCheckpoint): Promise<StoredState | null>;
  /**
   * Computes the states at several checkpoints, each when it is requested. Checkpoints of the same run must be ordered
   * newest first. Shared data is read once, and the iteration ends early when the limit is reached.
   * @param maxBytes the most bytes that are read, by default `MAX_READ_BYTES`
   */
  statesOf(checkpoints: readonly StoredCheckpoint[], maxBytes?: number): AsyncGenerator<StoredState | null, void>;
  /** Computes the state at a checkpoint like `stateOf`; `null` selects the newest checkpoint with a complete state. */
  at(runId: string, id: string | null): Promise<StoredState | null>;
  /** Finds the newest checkpoint of a run at or before an event. */
  lastUpTo(runId: string, seq: number): Promise<StoredCheckpoint | null>;
  /** Finds the newest checkpoint that closed a superstep before the given one, or that of the input. */
  lastBefore(runId: string, step: number): Promise<StoredCheckpoint | null>;
  /**
   * Deletes all checkpoints of a run but the newest, and the newest that relies on none of its undone calls.
   * @returns the number of deleted checkpoints
   */
  keepLast(runId: string): Promise<number>;
  /** Lists the checkpoints of some runs, newest first. */
  list(runIds: readonly string[], page: PageRequest): Promise<Page<StoredCheckpoint>>;
}

/** The most bytes that are read to list states; a single state may need more. */
const MAX_READ_BYTES = 64 * 1_048_576;

/** @internal */
export function createCheckpoints(db: Kysely<Tables>): Checkpoints {
  return {
    find: (runId, id) => findCheckpoint(db, runId, id),
    stateOf: async (checkpoint) => await foldAndSnapshot(db, checkpoint, await readLineage(db, checkpoint)),
    statesOf: (checkpoints, maxBytes = MAX_READ_BYTES) => readStates(db, checkpoints, maxBytes),
    at: (runId, id) => stateAt(db, runId, id),
    lastUpTo: (runId, seq) =>
      newestCheckpoint(CHECKPOINT_COLUMNS(db).where('run_id', '=', runId).where('seq', '<=', seq)),
    lastBefore: (runId, step) => lastBefore(db, runId, step),
    keepLast: (runId) => keepLatestStates(db, runId),
    list: (runIds, page) => listCheckpoints(db, runIds, page),
  };
}

async function findCheckpoint(db: Kysely<Tables>, runId: string, id: string | null): Promise<StoredCheckpoint | null> {
  const ofRun = CHECKPOINT_COLUMNS(db).where('run_id', '=', runId);
  return await newestCheckpoint(id === null ? ofRun : ofRun.where('id', '=', id));
}

async function newestCheckpoint(checkpoints: ReturnType<typeof CHECKPOINT_COLUMNS>): Promise<StoredCheckpoint | null> {
  const row = await checkpoints.orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return row ? toCheckpoint(row) : null;
}

async function stateAt(db: Kysely<Tables>, runId: string, id: string | null): Promise<StoredState | null> {
  const checkpoint = await findCheckpoint(db, runId, id);
  if (!checkpoint) return null;
  const lineage = await readLineage(db, checkpoint);
  const state = await foldAndSnapshot(db, checkpoint, lineage);
  const last = lastCheckpointIdOf(lineage);
  return state || id !== null || last === undefined ? state : await stateAt(db, runId, last);
}

async function* readStates(
  db: Kysely<Tables>,
  checkpoints: readonly StoredCheckpoint[],
  maxBytes: number,
): AsyncGenerator<StoredState | null, void> {
  const lineages = new Map<string, Lineage>();
  let bytes = 0;
  for (const checkpoint of checkpoints) {
    const known = lineages.get(checkpoint.runId);
    if (known && reachesBackTo(known, checkpoint)) {
      yield toStoredState(checkpoint, known);
      continue;
    }
    if (bytes > maxBytes) return;
    const lineage = await readLineage(db, checkpoint);
    lineages.set(checkpoint.runId, lineage);
    bytes += lineage.bytes;
    yield await foldAndSnapshot(db, checkpoint, lineage);
  }
}

/** Computes the state at the end of a lineage, and stores a snapshot of it after a long chain. */
async function foldAndSnapshot(
  db: Kysely<Tables>,
  checkpoint: StoredCheckpoint,
  lineage: Lineage,
): Promise<StoredState | null> {
  const state = toStoredState(checkpoint, lineage);
  if (state) await addSnapshot(db, state, lineage.links);
  return state;
}

function toStoredState(checkpoint: StoredCheckpoint, lineage: Lineage): StoredState | null {
  const folded = foldUpTo(lineage, checkpoint.id);
  return folded && { checkpoint, ...folded };
}

/** Snapshots of the remaining states replace the deleted checkpoints. */
async function keepLatestStates(db: Kysely<Tables>, runId: string): Promise<number> {
  const last = await stateAt(db, runId, null);
  if (!last) return 0;
  const sound = await lastSound(db, runId);
  const kept = sound ? [sound, last] : [last];
  await replaceSnapshots(db, kept);
  const { numDeletedRows } = await db
    .deleteFrom('checkpoints')
    .where('run_id', '=', runId)
    .where('seq', '<', last.checkpoint.seq)
    .where(
      'seq',
      'not in',
      kept.map(({ checkpoint }) => checkpoint.seq),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Returns the state from which other runs may start, if some of the run's calls are undone. */
async function lastSound(db: Kysely<Tables>, runId: string): Promise<StoredState | null> {
  const run = await db.selectFrom('runs').select('view').where('id', '=', runId).executeTakeFirst();
  const undone = run?.view?.undone;
  const checkpoint = undone ? await lastBefore(db, runId, undone.since) : null;
  return checkpoint && toStoredState(checkpoint, await readLineage(db, checkpoint));
}

async function lastBefore(db: Kysely<Tables>, runId: string, step: number): Promise<StoredCheckpoint | null> {
  return await newestCheckpoint(CHECKPOINT_COLUMNS(db).where('run_id', '=', runId).where('step', '<', step));
}

async function listCheckpoints(
  db: Kysely<Tables>,
  runIds: readonly string[],
  { limit, after }: PageRequest,
): Promise<Page<StoredCheckpoint>> {
  const rows = CHECKPOINT_COLUMNS(db)
    .where(sql<boolean>`run_id = any(${runIds}::text[])`)
    .where(isOlderThanPosition(after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`created_at desc, run_id desc, seq desc`,
    positionOf: (row) => positionOfCheckpoint(toCheckpoint(row)),
  });
  return mapPage(page, toCheckpoint);
}

/** Returns the position of a checkpoint in a list. */
export function positionOfCheckpoint({ runId, seq, createdAt }: StoredCheckpoint): Position {
  return { at: createdAt, id: `${seq} ${runId}` };
}

/** Checkpoints of one run may have the same time, so their numbers decide the order. */
function isOlderThanPosition(position: Position | undefined): RawBuilder<boolean> {
  if (!position) return sql<boolean>`true`;
  const [seq, runId] = position.id.split(' ');
  return sql<boolean>`(created_at, run_id, seq) < (${position.at}::timestamptz, ${runId}, ${Number(seq)}::integer)`;
}

function CHECKPOINT_COLUMNS(db: Kysely<Tables>) {
  return db
    .selectFrom('checkpoints')
    .select(['id', 'run_id', 'parent_id', 'seq', 'step', 'source', 'next', 'created_at']);
}

type CheckpointRow = Awaited<ReturnType<ReturnType<typeof CHECKPOINT_COLUMNS>['executeTakeFirstOrThrow']>>;

function toCheckpoint({ id, run_id, parent_id, seq, step, source, next, created_at }: CheckpointRow): StoredCheckpoint {
  return { id, runId: run_id, parentId: parent_id, seq, step, source, next, createdAt: created_at.toISOString() };
}
