import { isEnded } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { poll } from '../temporal/poll.ts';

const MAX_WAIT_SECONDS = 60;
const PACE = { everyMs: 10, slowingToMs: 250 };

/** Reads `Prefer: wait=N` (RFC 7240). @returns seconds, 60 at most; `null` without a usable value */
export function readWait(prefer: string | undefined): number | null {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}

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
