import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { foldCheckpoints, foldResumePoints } from '../graph/journal/index.ts';
import type { Checkpoint, ResumePoint } from '../graph/journal/index.ts';
import { parseCheckpointId } from '../graph/run/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { inBatches } from './batches.ts';
import type { Tables } from './tables.ts';
import type { Snapshot, CheckpointKey } from './snapshots.ts';
import { latestSnapshot } from './snapshots.ts';

/**
 * The data from which the state at a checkpoint is computed, up to the first gap. States at earlier checkpoints, down
 * to the base, can be computed from it too.
 */
export interface Lineage {
  readonly base: BaseState | null;
  /** The changes after the base, as many as are held in memory at a time. */
  readonly chain: readonly CheckpointChange[];
  /** All checkpoints since the last snapshot. */
  readonly links: readonly { readonly bytes: number }[];
  /** The number of bytes that were read. */
  readonly bytes: number;
}

/** A known state. */
interface BaseState {
  readonly checkpoint_id: string;
  readonly seq: number;
  readonly channels: JsonObject;
  readonly resume_point: ResumePoint;
}

interface CheckpointChange extends CheckpointLink {
  readonly changes: Checkpoint['changes'];
  readonly resume_point: Checkpoint['resumePoint'];
}

interface CheckpointLink {
  readonly id: string;
  readonly seq: number;
  readonly next: Checkpoint['next'];
  readonly bytes: number;
}

/** The most bytes of changes that are held in memory at a time; a larger change is held alone. */
const MAX_HELD_BYTES = 8 * 1_048_576;

export async function readLineage(db: Kysely<Tables>, checkpoint: CheckpointKey): Promise<Lineage> {
  const snapshot = (await latestSnapshot(db, checkpoint)) ?? null;
  const written = await linksBetween(db, checkpoint, snapshot?.seq ?? 0);
  const mayBeFirst = (parent: string | null): boolean =>
    snapshot
      ? parent === snapshot.checkpoint_id
      : parent === null || parseCheckpointId(parent)?.runId !== checkpoint.runId;
  const gap = written.findIndex(({ parent_id: parent }, index) =>
    index === 0 ? !mayBeFirst(parent) : parent !== written[index - 1]?.id,
  );
  const links = gap < 0 ? written : written.slice(0, gap);
  const chain = links.filter(areChangesHeld);
  const before = inBatches(links.slice(0, links.length - chain.length), MAX_HELD_BYTES, ({ bytes }) => bytes);
  let base: BaseState | null = snapshot;
  for (const part of before) {
    const changes = await readChanges(db, checkpoint.runId, part);
    // Retention has deleted the changes meanwhile and left a snapshot, so the lineage is read again.
    if (changes.length < part.length) return await readLineage(db, checkpoint);
    base = foldIntoBase(base, changes);
  }
  return { base, chain, links, bytes: links.reduce((sum, { bytes }) => sum + bytes, snapshot?.bytes ?? 0) };
}

/** Returns true if the lineage can be used for an earlier checkpoint, which must not be before its base. */
export function reachesBackTo({ base }: Lineage, { seq }: CheckpointKey): boolean {
  return !base || base.seq <= seq;
}

/** Returns the id of the last checkpoint of a lineage. */
export function lastCheckpointIdOf({ base, chain }: Lineage): string | undefined {
  return chain.at(-1)?.id ?? base?.checkpoint_id;
}

/**
 * Computes the state at one of the checkpoints of a lineage.
 * @returns `null` when it does not contain the checkpoint
 */
export function foldUpTo({ base, chain }: Lineage, id: string): Pick<Snapshot, 'channels' | 'resumePoint'> | null {
  const part = chain.slice(0, chain.findIndex((one) => one.id === id) + 1);
  if (part.length > 0) return foldChanges(base, part);
  if (base?.checkpoint_id !== id) return null;
  const { channels, resume_point: resumePoint } = base;
  return { channels, resumePoint: foldResumePoints([{ resumePoint, next: [] }], resumePoint) };
}

function foldIntoBase(base: BaseState | null, changes: readonly CheckpointChange[]): BaseState | null {
  const last = changes.at(-1);
  if (!last) return base;
  const { channels, resumePoint } = foldChanges(base, changes);
  return { checkpoint_id: last.id, seq: last.seq, channels, resume_point: resumePoint };
}

function foldChanges(
  base: BaseState | null,
  changes: readonly CheckpointChange[],
): Pick<Snapshot, 'channels' | 'resumePoint'> {
  const resumePoints = changes.map(({ resume_point, next }) => ({ resumePoint: resume_point, next }));
  return {
    channels: foldCheckpoints(changes, base?.channels),
    resumePoint: foldResumePoints(resumePoints, base?.resume_point),
  };
}

/** Reads the checkpoints up to the given one, the last of them with their changes. */
async function linksBetween(db: Kysely<Tables>, { runId, seq }: CheckpointKey, after: number) {
  const isHeldThen = sql<boolean>`sum(bytes) over (order by seq desc) - bytes < ${MAX_HELD_BYTES}`;
  return await db
    .selectFrom('checkpoints')
    .select(['id', 'parent_id', 'seq', 'next', 'bytes'])
    .select([
      sql<Checkpoint['changes'] | null>`case when ${isHeldThen} then changes end`.as('changes'),
      sql<Checkpoint['resumePoint'] | null>`case when ${isHeldThen} then resume_point end`.as('resume_point'),
    ])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .where('seq', '<=', seq)
    .orderBy('seq')
    .execute();
}

function areChangesHeld<Row extends { readonly changes: unknown; readonly resume_point: unknown }>(
  row: Row,
): row is Row & Pick<CheckpointChange, 'changes' | 'resume_point'> {
  return row.changes !== null && row.resume_point !== null;
}

async function readChanges(
  db: Kysely<Tables>,
  runId: string,
  part: readonly CheckpointLink[],
): Promise<readonly CheckpointChange[]> {
  return await db
    .selectFrom('checkpoints')
    .select(['id', 'seq', 'next', 'bytes', 'changes', 'resume_point'])
    .where('run_id', '=', runId)
    .where('seq', '>=', part[0]?.seq ?? 0)
    .where('seq', '<=', part.at(-1)?.seq ?? 0)
    .orderBy('seq')
    .execute();
}
