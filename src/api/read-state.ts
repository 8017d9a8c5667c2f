import type { RunView } from '../graph/run-view.ts';
import type { RunRecord } from '../store/runs.ts';
import type { ApiDeps } from './environment.ts';
import { ApiError } from './errors.ts';
import { findState } from './whole-state.ts';

/**
 * The state of a run at one of its checkpoints.
 * @param wanted `null`: the newest, with what the open superstep is going to write
 * @throws ApiError `UNKNOWN_CHECKPOINT`; 503 while what leads to the checkpoint is being written
 */
export async function readState({ store }: Pick<ApiDeps, 'store'>, run: RunRecord, wanted: string | null) {
  const found = await findState(store, run.id, wanted);
  if (!found && wanted !== null)
    throw new ApiError('UNKNOWN_CHECKPOINT', `Run ${run.id} has no checkpoint "${wanted}"`);
  const { checkpoint, channels } = found ?? NOTHING_YET;
  return {
    values: channels,
    checkpoint: checkpoint.id,
    visited: await store.journal.visited(run.id, checkpoint.seq),
    next: checkpoint.next,
    pending: [],
    ...(isNow(run, wanted) && placeOf(run)),
  };
}

const NOTHING_YET = { checkpoint: { id: null, seq: 0, next: [] }, channels: {} } as const;

function isNow({ view }: RunRecord, wanted: string | null): boolean {
  return wanted === null || wanted === view?.checkpointId;
}

/** For the newest checkpoint the run itself knows better where it goes on. */
function placeOf({ view }: RunRecord): Pick<RunView, 'next' | 'pending'> | null {
  return view && { next: view.next, pending: view.pending };
}
