import pLimit from 'p-limit';
import type { ActiveRun, FailingRuns } from '../../store/failing-runs.ts';
import type { ApiDeps } from '../deps.ts';
import { endTerminatedRun } from '../runs/end-terminated-run.ts';
import { MINUTE_MS } from '../../graph/values/index.ts';
import type { Store } from '../../store/store.ts';

type LostRunsDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** The most lost runs that are ended at a time; if there are more, this is most likely another Temporal. */
export const MOST_LOST = 20;
/** After a failover, the new cluster may receive a run later. */
export const LOST_FOR_MS = MINUTE_MS;

/**
 * Ends active runs whose workflow is missing in Temporal or has ended unnoticed, because it was deleted or one of the
 * two databases was restored from a backup. Runs are ended after a pass over all active ones. If many are lost, or more
 * workflows are missing than found, none is ended.
 */
export function createLostRunsChore(
  lostForMs = LOST_FOR_MS,
): (deps: LostRunsDeps, stopping: AbortSignal) => Promise<void> {
  const find = activeRunsInTurns();
  let pass = beginPass();
  return async function endLostRuns(deps, stopping) {
    const { runs, isLast } = await find(deps.store);
    await pLimit(LOOKS_AT_ONCE).map(runs, async (run) => {
      if (!stopping.aborted) noteInPass(pass, run, await readWorkflowState(deps, run));
    });
    const { lost, missing, there } = pass;
    if (isLast) pass = beginPass(lost);
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

/** A pass over all active runs, some at a time. */
interface PassOverRuns {
  /** The number of runs whose workflow Temporal has. */
  there: number;
  /** The number of runs whose workflow is missing. */
  missing: number;
  /** Runs whose workflow is missing or has ended, up to one more than may be ended. */
  readonly lost: Map<string, LostRun>;
  /** The lost runs of the previous pass. */
  readonly lostBefore: ReadonlyMap<string, LostRun>;
}

interface LostRun {
  readonly run: ActiveRun;
  /** When the loss was first detected, in milliseconds since the epoch. */
  readonly since: number;
}

function beginPass(lostBefore: ReadonlyMap<string, LostRun> = new Map()): PassOverRuns {
  return { there: 0, missing: 0, lost: new Map(), lostBefore };
}

function noteInPass(pass: PassOverRuns, run: ActiveRun, workflow: SeenWorkflow): void {
  if (workflow === 'missing') pass.missing += 1;
  else if (workflow !== 'unknown') pass.there += 1;
  const isLost = workflow === 'missing' || workflow === 'ended';
  if (!isLost || pass.lost.size > MOST_LOST) return;
  pass.lost.set(run.id, { run, since: pass.lostBefore.get(run.id)?.since ?? Date.now() });
}

/** An error with one run does not stop the others. */
async function tryToEnd(deps: LostRunsDeps, run: ActiveRun, before: number): Promise<void> {
  try {
    await endTerminatedRun(deps, run, before);
  } catch (error) {
    deps.logger.warn({ error, run: run.id }, 'a run without its workflow could not be ended; it will be tried again');
  }
}

/** The state of a run's workflow in Temporal; `unknown` after an error. */
type SeenWorkflow = 'open' | 'ended' | 'missing' | 'unknown';

/** An error with one run does not stop the others. */
async function readWorkflowState({ engine, logger }: LostRunsDeps, run: ActiveRun): Promise<SeenWorkflow> {
  try {
    const end = await engine.workflowEnd(run);
    if (!end) return 'open';
    return end.kind === 'missing' ? 'missing' : 'ended';
  } catch (error) {
    logger.warn({ error, run: run.id }, 'a run could not be looked at; it will be tried again');
    return 'unknown';
  }
}

/** The number of runs for which one check asks Temporal. */
export const BATCH = 100;

/** Limits the concurrent requests to Temporal. */
export const LOOKS_AT_ONCE = 8;

/** Some of the active runs. */
interface ActiveRunsPage {
  readonly runs: Awaited<ReturnType<FailingRuns['active']>>;
  /** True when the next page starts from the beginning. */
  readonly isLast: boolean;
}

/** @returns a function that reads the active runs page by page, and starts again after the last page */
export function activeRunsInTurns(): (store: Pick<Store, 'failingRuns'>) => Promise<ActiveRunsPage> {
  let after = '';
  return async ({ failingRuns }) => {
    const runs = await failingRuns.active(after, BATCH);
    const isLast = runs.length < BATCH;
    after = isLast ? '' : (runs.at(-1)?.id ?? '');
    return { runs, isLast };
  };
}
