import type { ActiveRun } from '../../store/failing-runs.ts';
import type { ApiDeps } from '../deps.ts';
import { endTerminatedRun } from '../runs/end-terminated-run.ts';
import { activeRunsInTurns } from './active-runs-in-turns.ts';
import { eachOf } from './each-of.ts';

type LostRunsDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** The number of runs that one look asks Temporal about, and the most that it may lack: beyond, it is another Temporal. */
const LOOKED_AT = 100;
export const MOST_LOST = 20;
/** Limits the requests to Temporal at the same time. */
const LOOKS_AT_ONCE = 8;
/** A cluster that has taken over from another one may learn of a run later. */
export const LOST_FOR_MS = 60_000;
/** A run that has ended meanwhile is not looked at again. */
const FORGET_AFTER_MS = 3_600_000;

/**
 * Ends active runs whose workflow Temporal does not have, or has ended unnoticed: it was deleted, or one of the two was
 * restored from a backup. Where Temporal lacks many runs, none is ended.
 */
export function createLostRunsChore(
  lostForMs = LOST_FOR_MS,
): (deps: LostRunsDeps, stopping: AbortSignal) => Promise<void> {
  const find = activeRunsInTurns(LOOKED_AT);
  const lostSince = new Map<string, number>();
  return async function endLostRuns(deps, stopping) {
    const lost: ActiveRun[] = [];
    await eachOf(await find(deps.store), LOOKS_AT_ONCE, async (run) => {
      if (stopping.aborted) return;
      if (await isLost(deps, run)) lost.push(run);
      else lostSince.delete(run.id);
    });
    if (lost.length > MOST_LOST)
      return deps.logger.error(
        { lost: lost.length },
        'Temporal lacks the workflows of many runs, which are left alone: is it another namespace, or restored from a backup?',
      );
    const now = Date.now();
    for (const [id, since] of lostSince) if (now - since > FORGET_AFTER_MS) lostSince.delete(id);
    for (const run of lost) {
      const since = lostSince.get(run.id) ?? now;
      lostSince.set(run.id, since);
      if (now - since < lostForMs || stopping.aborted) continue;
      if (await tryToEnd(deps, run, now - lostForMs)) lostSince.delete(run.id);
    }
  };
}

/** An error with one run does not stop the others. @returns true if it was ended */
async function tryToEnd(deps: LostRunsDeps, run: ActiveRun, before: number): Promise<boolean> {
  try {
    await endTerminatedRun(deps, run, before);
    return true;
  } catch (error) {
    deps.logger.warn({ error, run: run.id }, 'a run without its workflow could not be ended; it will be tried again');
    return false;
  }
}

/** An error with one run does not stop the others. */
async function isLost({ engine, logger }: LostRunsDeps, run: ActiveRun): Promise<boolean> {
  try {
    return (await engine.workflowEnd(run)) !== null;
  } catch (error) {
    logger.warn({ error, run: run.id }, 'a run could not be looked at; it will be tried again');
    return false;
  }
}
