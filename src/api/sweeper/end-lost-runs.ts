import type { ActiveRun } from '../../store/failing-runs.ts';
import type { ApiDeps } from '../deps.ts';
import { endTerminatedRun } from '../runs/end-terminated-run.ts';
import { activeRunsInTurns } from './active-runs-in-turns.ts';
import { eachOf } from './each-of.ts';

type LostRunsDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** The number of runs that one look asks Temporal about. */
const LOOKED_AT = 100;
/** The most active runs that may be lost at a time: beyond, it is another Temporal. */
export const MOST_LOST = 20;
/** Limits the requests to Temporal at the same time. */
const LOOKS_AT_ONCE = 8;
/** A cluster that has taken over from another one may learn of a run later. */
export const LOST_FOR_MS = 60_000;

/**
 * Ends active runs whose workflow Temporal does not have, or has ended unnoticed: it was deleted, or one of the two was
 * restored from a backup. Runs are ended after a look at all active ones. Where many are lost, or Temporal lacks more than it
 * has, none is ended.
 */
export function createLostRunsChore(
  lostForMs = LOST_FOR_MS,
): (deps: LostRunsDeps, stopping: AbortSignal) => Promise<void> {
  const find = activeRunsInTurns(LOOKED_AT);
  let turn = beginTurn();
  return async function endLostRuns(deps, stopping) {
    const { runs, isLast } = await find(deps.store);
    await eachOf(runs, LOOKS_AT_ONCE, async (run) => {
      if (!stopping.aborted) note(turn, run, await look(deps, run));
    });
    const { lost, missing, there } = turn;
    if (isLast) turn = beginTurn(lost);
    if (lost.size > MOST_LOST || (isLast && missing > there))
      return deps.logger.error({ lost: lost.size, missing, there }, ANOTHER_TEMPORAL);
    if (!isLast) return;
    const before = Date.now() - lostForMs;
    for (const { run, since } of lost.values())
      if (since <= before && !stopping.aborted) await tryToEnd(deps, run, before);
  };
}

const ANOTHER_TEMPORAL =
  'Temporal lacks the workflows of many runs, or of more than it has, which are left alone: is it another namespace, or restored from a backup? A run that is canceled by hand ends';

/** A look at all active runs, some at a time. */
interface Turn {
  /** The number of runs of which Temporal has a workflow. */
  there: number;
  /** The number of the others. */
  missing: number;
  /** Runs whose workflow is missing or has ended, up to one more than may be ended. */
  readonly lost: Map<string, LostRun>;
  /** Those of the turn before. */
  readonly lostBefore: ReadonlyMap<string, LostRun>;
}

interface LostRun {
  readonly run: ActiveRun;
  /** When it was found to be lost first, in ms. */
  readonly since: number;
}

function beginTurn(lostBefore: ReadonlyMap<string, LostRun> = new Map()): Turn {
  return { there: 0, missing: 0, lost: new Map(), lostBefore };
}

function note(turn: Turn, run: ActiveRun, workflow: SeenWorkflow): void {
  if (workflow === 'missing') turn.missing += 1;
  else if (workflow !== 'unknown') turn.there += 1;
  const isLost = workflow === 'missing' || workflow === 'ended';
  if (!isLost || turn.lost.size > MOST_LOST) return;
  turn.lost.set(run.id, { run, since: turn.lostBefore.get(run.id)?.since ?? Date.now() });
}

/** An error with one run does not stop the others. */
async function tryToEnd(deps: LostRunsDeps, run: ActiveRun, before: number): Promise<void> {
  try {
    await endTerminatedRun(deps, run, before);
  } catch (error) {
    deps.logger.warn({ error, run: run.id }, 'a run without its workflow could not be ended; it will be tried again');
  }
}

/** What Temporal says of a run's workflow; an error says nothing. */
type SeenWorkflow = 'open' | 'ended' | 'missing' | 'unknown';

/** An error with one run does not stop the others. */
async function look({ engine, logger }: LostRunsDeps, run: ActiveRun): Promise<SeenWorkflow> {
  try {
    const end = await engine.workflowEnd(run);
    if (!end) return 'open';
    return end.kind === 'missing' ? 'missing' : 'ended';
  } catch (error) {
    logger.warn({ error, run: run.id }, 'a run could not be looked at; it will be tried again');
    return 'unknown';
  }
}
