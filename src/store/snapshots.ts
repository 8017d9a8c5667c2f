import type { Kysely } from 'kysely';
import type { Checkpoint, ResumePoint } from '../graph/journal/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';

/** The complete state of a run at a checkpoint, so that reads need not fold all earlier checkpoints. */
export interface Snapshot {
  readonly checkpoint: CheckpointKey;
  readonly channels: JsonObject;
  readonly resumePoint: ResumePoint;
}

/** Identifies a checkpoint and its position in its run. */
export type CheckpointKey = Pick<Checkpoint, 'id' | 'seq'> & { readonly runId: string };

/** Finds the newest snapshot at or before a checkpoint. @internal */
export async function latestSnapshot(db: Kysely<Tables>, { runId, seq }: CheckpointKey) {
  return await db
    .selectFrom('snapshots')
    .select(['checkpoint_id', 'seq', 'channels', 'resume_point', 'bytes'])
    .where('run_id', '=', runId)
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * A snapshot is stored after this many checkpoints if their changes are as large as the snapshot, so that storage grows
 * linearly.
 */
const SNAPSHOT_AFTER = 64;

/**
 * Stores a snapshot if enough was written since the previous one. @param chain the checkpoints since then
 * @internal
 */
export async function addSnapshot(
  db: Kysely<Tables>,
  snapshot: Snapshot,
  chain: readonly { readonly bytes: number }[],
): Promise<void> {
  if (chain.length < SNAPSHOT_AFTER) return;
  const row = toSnapshotRow(snapshot);
  const isWorthIt = chain.reduce((sum, change) => sum + change.bytes, 0) >= row.bytes;
  if (isWorthIt && !(await hasLaterSnapshot(db, snapshot.checkpoint))) await insertSnapshot(db, row);
}

/**
 * Snapshots are only added at the end of the history, because the changes since the previous snapshot justify the size
 * of each.
 */
async function hasLaterSnapshot(db: Kysely<Tables>, { runId, seq }: CheckpointKey): Promise<boolean> {
  const later = db.selectFrom('snapshots').select('seq').where('run_id', '=', runId).where('seq', '>', seq);
  return (await later.limit(1).executeTakeFirst()) !== undefined;
}

/** Stores snapshots of a run and deletes its other ones. @internal */
export async function replaceSnapshots(db: Kysely<Tables>, snapshots: readonly Snapshot[]): Promise<void> {
  for (const snapshot of snapshots) await insertSnapshot(db, toSnapshotRow(snapshot));
  const kept = snapshots.map(({ checkpoint }) => checkpoint.id);
  const runs = snapshots.map(({ checkpoint }) => checkpoint.runId);
  await db.deleteFrom('snapshots').where('run_id', 'in', runs).where('checkpoint_id', 'not in', kept).execute();
}

function toSnapshotRow({ checkpoint: { id, runId, seq }, ...state }: Snapshot) {
  const channels = JSON.stringify(state.channels);
  const resumePoint = JSON.stringify(state.resumePoint);
  return {
    checkpoint_id: id,
    run_id: runId,
    seq,
    channels,
    resume_point: resumePoint,
    bytes: Buffer.byteLength(channels) + Buffer.byteLength(resumePoint),
  };
}

async function insertSnapshot(db: Kysely<Tables>, row: ReturnType<typeof toSnapshotRow>): Promise<void> {
  await db
    .insertInto('snapshots')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
