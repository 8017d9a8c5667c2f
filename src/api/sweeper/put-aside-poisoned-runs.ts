import type { ActiveRun, TaskFailureNote } from '../../store/failing-runs.ts';
import type { ApiDeps } from '../deps.ts';
import { guiltOf, putRunAside } from '../runs/put-run-aside.ts';
import type { Poisoned } from '../runs/put-run-aside.ts';
import { activeRunsInTurns } from './active-runs-in-turns.ts';
import { eachOf } from './each-of.ts';

type PutAsideDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** A new version of the workers may do what an old one fails, so tasks get this time. */
export const FAILING_FOR_MS = 15_000;

/** The numbers of runs that one sweep asks Temporal about. */
const NOTED_AT_ONCE = 100;
const ACTIVE_AT_ONCE = 100;
/** Limits the requests to Temporal at the same time. */
const LOOKS_AT_ONCE = 8;

/** More runs than this fail because of the workers' code, not of their own; putting them aside would lose them. */
const MOST_IN_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Finds runs to look at, with what a worker has noted of them. */
type FindRuns = (deps: PutAsideDeps) => Promise<readonly Candidate[]>;
type Candidate = ActiveRun & { readonly note: TaskFailureNote | null };

/** Runs whose workers have noted a failure: they find poisoned runs among any number of others. */
export const notedRuns: FindRuns = async ({ store }) =>
  (await store.failingRuns.list(NOTED_AT_ONCE)).map(({ failure, ...run }) => ({ ...run, note: failure }));

/** All active runs in turns, for those of which no worker could note anything: the database was away. */
export function activeRuns(): FindRuns {
  const find = activeRunsInTurns(ACTIVE_AT_ONCE);
  return async ({ store }) => (await find(store)).runs.map(({ failure, ...run }) => ({ ...run, note: failure }));
}

/** Ends runs whose workflow task fails again and again, because of what is in the run. */
export function createPoisonedRunsChore(
  find: FindRuns,
  brake: Brake,
  failingForMs = FAILING_FOR_MS,
): (deps: PutAsideDeps, stopping: AbortSignal) => Promise<void> {
  return async function putAsidePoisonedRuns(deps, stopping) {
    await eachOf(await find(deps), LOOKS_AT_ONCE, async (run) => {
      if (stopping.aborted) return;
      try {
        await look(deps, run, (poisoned) => isPoisoned(poisoned, failingForMs) && brake(deps, run.id));
      } catch (error) {
        deps.logger.warn({ error, run: run.id }, 'a run could not be looked at; it will be tried again');
      }
    });
  };
}

async function look(
  deps: PutAsideDeps,
  { note, ...run }: Candidate,
  isDue: (poisoned: Poisoned) => boolean,
): Promise<void> {
  const task = await deps.engine.failingTask(run);
  if (note && note.executionRunId !== task?.executionRunId)
    await deps.store.failingRuns.forget(run.id, note.executionRunId);
  if (task && isDue({ task, note })) await putRunAside(deps, run, { task, note });
}

/**
 * A task that times out, however often, has met a worker that was lost or had too much to do: code that ends its process,
 * or uses up its time, is found by its worker.
 */
function isPoisoned(poisoned: Poisoned, failingForMs: number): boolean {
  return guiltOf(poisoned) === 'shown' && Date.now() - poisoned.task.since >= failingForMs;
}

/** Tells if a run may be put aside now. */
export type Brake = (deps: Pick<PutAsideDeps, 'logger'>, runId: string) => boolean;

/** Once too many runs were to be put aside in a minute, none is until a minute has passed in which they were fewer. */
export function createBrake(): Brake {
  let since = 0;
  let isHeld = false;
  const due = new Set<string>();
  return ({ logger }, runId) => {
    const passed = Date.now() - since;
    if (passed >= MINUTE_MS) {
      isHeld = due.size > MOST_IN_A_MINUTE && passed < 2 * MINUTE_MS;
      since += passed;
      due.clear();
    }
    if (due.size === MOST_IN_A_MINUTE && !due.has(runId))
      logger.error('the workflow tasks of many runs fail: is the version of the workers broken? Some are left alone');
    due.add(runId);
    return !isHeld && due.size <= MOST_IN_A_MINUTE;
  };
}
