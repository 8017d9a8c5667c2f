import type { StoredCheckpoint, StoredState } from '../store/checkpoints.ts';
import type { Store } from '../store/store.ts';
import { notNow } from './errors.ts';

/**
 * The state at a checkpoint of a run; at `null`, the newest that has all before it.
 * @returns `null`: there is no such checkpoint
 * @throws ApiError 503 while what leads to the checkpoint is being written
 */
export async function findState({ checkpoints }: Store, runId: string, id: string | null): Promise<StoredState | null> {
  const state = await checkpoints.at(runId, id);
  if (!state && (await checkpoints.find(runId, id))) throw incomplete(runId);
  return state;
}

/** The whole state at a checkpoint. @throws ApiError as `findState` */
export async function wholeState({ checkpoints }: Store, checkpoint: StoredCheckpoint): Promise<StoredState> {
  const state = await checkpoints.stateOf(checkpoint);
  if (!state) throw incomplete(checkpoint.runId);
  return state;
}

const incomplete = (runId: string): Error => notNow(`A checkpoint of run ${runId} is being written`);
