import { isEnded } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { poll } from '../temporal/poll.ts';

const PACE = { everyMs: 10, slowingToMs: 250 };

/**
 * Waits until a run ends, waits or pauses, or the time is up, or `isUnwanted` is true.
 * @returns the run as it is then
 */
export async function waitForRun(
  { store }: Pick<ApiDeps, 'store'>,
  id: string,
  { seconds, isUnwanted }: { readonly seconds: number; readonly isUnwanted: () => boolean },
): Promise<RunRecord | null> {
  return await poll(
    () => store.runs.find(id),
    (run) => !run || isAtRest(run) || isUnwanted(),
    { ...PACE, withinMs: seconds * 1_000 },
  );
}

function isAtRest({ status }: RunRecord): boolean {
  return isEnded(status) || status === 'waiting' || status === 'paused';
}
