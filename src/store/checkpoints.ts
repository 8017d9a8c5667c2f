import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { foldCheckpoints, foldResumePoints } from '../graph/journal/index.ts';
import type { Checkpoint } from '../graph/journal/index.ts';
import { parseCheckpointId } from '../graph/run/index.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import { addSnapshot, latestSnapshot, replaceSnapshots } from './snapshots.ts';
import type { Snapshot } from './snapshots.ts';
import type { Tables } from './tables.ts';

/** A checkpoint of a run with the whole state at it. */
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
  /** Finds a checkpoint by its id; `null` means the newest. @returns `null` when there is none */
  find(runId: string, id: string | null): Promise<StoredCheckpoint | null>;
  /**
   * Computes the state at a checkpoint from the changes up to it; a long chain of them leaves a snapshot.
   * @param before a known state at an earlier checkpoint of the run; only later changes are read then
   * @returns `null` while a change is not written yet, because batches come in any order
   */
  stateOf(checkpoint: StoredCheckpoint, before?: StoredState | null): Promise<StoredState | null>;
  /** The state at a checkpoint, as `stateOf`; `null` means the newest checkpoint with a complete state. */
  at(runId: string, id: string | null): Promise<StoredState | null>;
  /** The newest checkpoint of a run up to an event. */
  lastUpTo(runId: string, seq: number): Promise<StoredCheckpoint | null>;
  /** Deletes all checkpoints of a run but the newest. @returns the number of deleted checkpoints */
  keepLast(runId: string): Promise<number>;
  /** The checkpoints of some runs, newest first. */
  list(runIds: readonly string[], page: PageRequest): Promise<Page<StoredCheckpoint>>;
}

export function createCheckpoints(db: Kysely<Tables>): Checkpoints {
  return {
    find: (runId, id) => find(db, runId, id),
    stateOf: (checkpoint, before = null) => stateOf(db, checkpoint, before),
    at: (runId, id) => stateAt(db, runId, id),
    lastUpTo: async (runId, seq) => {
      const row = await columns(db)
        .where('run_id', '=', runId)
        .where('seq', '<=', seq)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? toCheckpoint(row) : null;
    },
    keepLast: (runId) => keepLast(db, runId),
    list: (runIds, page) => list(db, runIds, page),
  };
}

async function find(db: Kysely<Tables>, runId: string, id: string | null): Promise<StoredCheckpoint | null> {
  const wanted = columns(db).where('run_id', '=', runId);
  const row = await (
    id === null ? wanted.orderBy('seq', 'desc').limit(1) : wanted.where('id', '=', id)
  ).executeTakeFirst();
  return row ? toCheckpoint(row) : null;
}

async function stateAt(db: Kysely<Tables>, runId: string, id: string | null): Promise<StoredState | null> {
  const checkpoint = await find(db, runId, id);
  if (!checkpoint) return null;
  const lineage = await readLineage(db, checkpoint);
  if (isWhole(lineage, checkpoint)) return await foldAndSnapshot(db, checkpoint, lineage);
  const last = lineage.chain.at(-1)?.id ?? lineage.base?.checkpoint_id;
  return id === null && last !== undefined ? await stateAt(db, runId, last) : null;
}

async function stateOf(
  db: Kysely<Tables>,
  checkpoint: StoredCheckpoint,
  before: StoredState | null,
): Promise<StoredState | null> {
  const lineage = await readLineage(db, checkpoint, before);
  return isWhole(lineage, checkpoint) ? await foldAndSnapshot(db, checkpoint, lineage) : null;
}

/** A state before a checkpoint, if one is known, and the chain of checkpoints that follow it without a gap. */
type Lineage = Awaited<ReturnType<typeof readLineage>>;

async function readLineage(db: Kysely<Tables>, checkpoint: StoredCheckpoint, before: StoredState | null = null) {
  const base = before ? toBase(before) : await latestSnapshot(db, checkpoint);
  const written = await changesBetween(db, checkpoint, base?.seq ?? 0);
  const isFirst = ({ parent_id: parent }: { parent_id: string | null }): boolean =>
    base ? parent === base.checkpoint_id : parent === null || parseCheckpointId(parent)?.runId !== checkpoint.runId;
  const gap = written.findIndex((one, at) => (at === 0 ? !isFirst(one) : one.parent_id !== written[at - 1]?.id));
  return { base, chain: gap < 0 ? written : written.slice(0, gap) };
}

function toBase({ checkpoint: { id, seq }, channels, resumePoint }: StoredState) {
  return { checkpoint_id: id, seq, channels, resume_point: resumePoint };
}

function isWhole({ base, chain }: Lineage, { id }: StoredCheckpoint): boolean {
  return (chain.at(-1)?.id ?? base?.checkpoint_id) === id;
}

/** Folds a whole lineage into the state at its end, and stores a snapshot of the state after a long chain. */
async function foldAndSnapshot(
  db: Kysely<Tables>,
  checkpoint: StoredCheckpoint,
  lineage: Lineage,
): Promise<StoredState> {
  const state = { checkpoint, ...fold(lineage) };
  await addSnapshot(db, state, lineage.chain);
  return state;
}

function fold({ base, chain }: Lineage): Pick<StoredState, 'channels' | 'resumePoint'> {
  const resumePoints =
    chain.length > 0
      ? chain.map(({ resume_point, next }) => ({ resumePoint: resume_point, next }))
      : [{ resumePoint: base?.resume_point ?? {}, next: [] }];
  return {
    channels: foldCheckpoints(chain, base?.channels),
    resumePoint: foldResumePoints(resumePoints, base?.resume_point),
  };
}

async function changesBetween(db: Kysely<Tables>, { runId, seq }: StoredCheckpoint, after: number) {
  return await db
    .selectFrom('checkpoints')
    .select(['id', 'parent_id', 'changes', 'resume_point', 'next', 'bytes'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .where('seq', '<=', seq)
    .orderBy('seq')
    .execute();
}

/** The snapshot of the last state replaces the deleted checkpoints. */
async function keepLast(db: Kysely<Tables>, runId: string): Promise<number> {
  const last = await stateAt(db, runId, null);
  if (!last) return 0;
  const { seq } = last.checkpoint;
  await replaceSnapshots(db, last);
  const { numDeletedRows } = await db
    .deleteFrom('checkpoints')
    .where('run_id', '=', runId)
    .where('seq', '<', seq)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function list(
  db: Kysely<Tables>,
  runIds: readonly string[],
  { limit, after }: PageRequest,
): Promise<Page<StoredCheckpoint>> {
  const rows = columns(db)
    .where(sql<boolean>`run_id = any(${runIds}::text[])`)
    .where(isOlder(after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`created_at desc, run_id desc, seq desc`,
    payloads: [],
    positionOf: (row) => positionOf(toCheckpoint(row)),
  });
  return mapPage(page, toCheckpoint);
}

/** The position of a checkpoint in a list. */
export function positionOf({ runId, seq, createdAt }: StoredCheckpoint): Position {
  return { at: createdAt, id: `${seq} ${runId}` };
}

/** Checkpoints of one run may share a time, so their numbers decide the order. */
function isOlder(position: Position | undefined): RawBuilder<boolean> {
  if (!position) return sql<boolean>`true`;
  const [seq, runId] = position.id.split(' ');
  return sql<boolean>`(created_at, run_id, seq) < (${position.at}::timestamptz, ${runId}, ${Number(seq)}::integer)`;
}

function columns(db: Kysely<Tables>) {
  return db
    .selectFrom('checkpoints')
    .select(['id', 'run_id', 'parent_id', 'seq', 'step', 'source', 'next', 'created_at']);
}

type Row = Awaited<ReturnType<ReturnType<typeof columns>['executeTakeFirstOrThrow']>>;

function toCheckpoint({ id, run_id, parent_id, seq, step, source, next, created_at }: Row): StoredCheckpoint {
  return { id, runId: run_id, parentId: parent_id, seq, step, source, next, createdAt: created_at.toISOString() };
}
