import pLimit from 'p-limit';
import type { ActiveRun, TaskFailureNote } from '../../store/failing-runs.ts';
import type { ApiDeps } from '../deps.ts';
import { judgeRunsGuilt, quarantineRun } from '../runs/end-terminated-run.ts';
import type { FailingRunTask } from '../runs/end-terminated-run.ts';
import { MINUTE_MS } from '../../graph/values/index.ts';
import { BATCH, LOOKS_AT_ONCE, activeRunsInTurns } from './end-lost-runs.ts';

type QuarantineDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** Another version of the workers may complete the task, so it is given this time. */
export const FAILING_FOR_MS = 15_000;

/** If more runs fail within a minute, the workers' code is the likely cause; quarantining the runs would lose them. */
const MOST_IN_A_MINUTE = 20;

/** Finds runs to check, with the failure that a worker has recorded. */
type FindRunsToCheck = (deps: QuarantineDeps) => Promise<readonly RunToCheck[]>;

type RunToCheck = ActiveRun & { readonly note: TaskFailureNote | null };

/** Runs with a recorded failure: this finds poisoned runs among any number of others. */
export const runsWithNotedFailure: FindRunsToCheck = async ({ store }) =>
  (await store.failingRuns.list(BATCH)).map(({ failure, ...run }) => ({ ...run, note: failure }));

/**
 * All active runs page by page, to find those whose failure could not be recorded because the database was unavailable.
 */
export function activeRunsByPage(): FindRunsToCheck {
  const find = activeRunsInTurns();
  return async ({ store }) => (await find(store)).runs.map(({ failure, ...run }) => ({ ...run, note: failure }));
}

/** Ends runs whose workflow task fails repeatedly because of the run's content. */
export function createPoisonedRunsChore(
  find: FindRunsToCheck,
  brake: QuarantineBrake,
  failingForMs = FAILING_FOR_MS,
): (deps: QuarantineDeps, stopping: AbortSignal) => Promise<void> {
  return async function quarantinePoisonedRuns(deps, stopping) {
    await pLimit(LOOKS_AT_ONCE).map(await find(deps), async (run) => {
      if (stopping.aborted) return;
      try {
        await checkTask(deps, run, (poisoned) => isPoisoned(poisoned, failingForMs) && brake(deps, run.id));
      } catch (error) {
        deps.logger.warn({ error, run: run.id }, 'a run could not be looked at; it will be tried again');
      }
    });
  };
}

async function checkTask(
  deps: QuarantineDeps,
  { note, ...run }: RunToCheck,
  isDue: (poisoned: FailingRunTask) => boolean,
): Promise<void> {
  const task = await deps.engine.failingTask(run);
  if (note && note.executionRunId !== task?.executionRunId)
    await deps.store.failingRuns.forget(run.id, note.executionRunId);
  if (task && isDue({ task, note })) await quarantineRun(deps, run, { task, note });
}

/**
 * A task that only times out, however often, was given to workers that were lost or overloaded: if its code ends the
 * process or uses up its time, the worker records that.
 */
function isPoisoned(poisoned: FailingRunTask, failingForMs: number): boolean {
  return judgeRunsGuilt(poisoned) === 'proven' && Date.now() - poisoned.task.since >= failingForMs;
}

/** Returns true if a run may be quarantined now. */
export type QuarantineBrake = (deps: Pick<QuarantineDeps, 'logger'>, runId: string) => boolean;

/** If too many runs are due within a minute, none is quarantined until a minute with fewer due runs has passed. */
export function createQuarantineBrake(): QuarantineBrake {
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
