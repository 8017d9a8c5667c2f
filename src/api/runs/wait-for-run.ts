import { isEnded } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { untilRun } from './until-run.ts';

interface Waiting {
  /** Starts the run. */
  readonly begin?: () => Promise<void>;
  readonly seconds: number;
  /** Each ends the waiting early. */
  readonly unwanted: readonly AbortSignal[];
}

/** Waits until a run ends, waits or pauses, or the time is up. @returns the run as it is then */
export async function waitForRun(
  { store }: Pick<ApiDeps, 'store'>,
  runId: string,
  { seconds, ...waiting }: Waiting,
): Promise<RunRecord | null> {
  return await untilRun(store, {
    runId,
    look: () => store.runs.find(runId),
    isWanted: (run) => !run || isAtRest(run),
    isOfInterest: isAtRest,
    withinMs: seconds * 1_000,
    ...waiting,
  });
}

function isAtRest({ status }: Pick<RunRecord, 'status'>): boolean {
  return isEnded(status) || status === 'waiting' || status === 'paused';
}
