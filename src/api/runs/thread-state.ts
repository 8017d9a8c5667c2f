import type { Beginning } from '../../graph/advance/index.ts';
import type { StoredCheckpoint } from '../../store/checkpoints.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { wholeState } from '../states/read-state.ts';
import { soundCheckpoint } from '../states/sound-state.ts';

/**
 * Adds the state of its predecessor on the thread to a run's beginning.
 * @throws ApiError 503 while that is being written
 */
export async function firstBeginning(
  store: ApiDeps['store'],
  { begin }: Pick<RunGraphInput, 'begin'>,
  predecessorId: string | null,
): Promise<Beginning> {
  if (begin.kind !== 'input') return begin;
  const left = await checkpointLeftBy(store, predecessorId);
  return left ? { ...begin, base: (await wholeState(store, left)).channels } : begin;
}

/** The hidden channels of the run whose state a run of a thread goes on from. */
export async function inheritedChannels(
  store: ApiDeps['store'],
  predecessorId: string | null,
): Promise<readonly string[]> {
  const left = await checkpointLeftBy(store, predecessorId);
  if (!left) return [];
  return (await store.runs.hiddenOf([left.runId])).get(left.runId)?.channels ?? [];
}

/**
 * The checkpoint that a thread goes on from: the newest of its last run that stands for no undone calls, or of an earlier run if that
 * has none. So a conversation goes on after a run that failed and was compensated, from before what is no longer true.
 */
export async function checkpointLeftBy(
  store: Pick<ApiDeps['store'], 'runs' | 'checkpoints'>,
  runId: string | null,
): Promise<StoredCheckpoint | null> {
  for (let id = runId; id !== null;) {
    const run = await store.runs.find(id);
    const sound = await soundCheckpoint(store, { id, view: run?.view ?? null });
    if (sound) return sound;
    id = run?.predecessorId ?? null;
  }
  return null;
}
