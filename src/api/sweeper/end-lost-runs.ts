import pLimit from 'p-limit';
import type { ActiveRun, FailingRuns, TaskFailureNote } from '../../store/failing-runs.ts';
import type { ApiDeps } from '../deps.ts';
import { endTerminatedRun, guiltOf, quarantineRun } from '../runs/end-terminated-run.ts';
import type { Poisoned } from '../runs/end-terminated-run.ts';
import type { Store } from '../../store/store.ts';
import { formatTimestamp } from '../../graph/values/index.ts';
import type { RunReference } from '../../workflows/contract.ts';

type LostRunsDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** The number of runs for which one check asks Temporal. */
const BATCH = 100;
/** The most lost runs that are ended at a time; if there are more, this is most likely another Temporal. */
export const MOST_LOST = 20;
/** Limits the concurrent requests to Temporal. */
const LOOKS_AT_ONCE = 8;
/** After a failover, the new cluster may receive a run later. */
export const LOST_FOR_MS = 60_000;

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
      if (!stopping.aborted) note(pass, run, await look(deps, run));
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
interface Pass {
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

function beginPass(lostBefore: ReadonlyMap<string, LostRun> = new Map()): Pass {
  return { there: 0, missing: 0, lost: new Map(), lostBefore };
}

function note(pass: Pass, run: ActiveRun, workflow: SeenWorkflow): void {
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

/** Some of the active runs. */
interface Page {
  readonly runs: Awaited<ReturnType<FailingRuns['active']>>;
  /** True when the next page starts from the beginning. */
  readonly isLast: boolean;
}

/** @returns a function that reads the active runs page by page, and starts again after the last page */
function activeRunsInTurns(): (store: Pick<Store, 'failingRuns'>) => Promise<Page> {
  let after = '';
  return async ({ failingRuns }) => {
    const runs = await failingRuns.active(after, BATCH);
    const isLast = runs.length < BATCH;
    after = isLast ? '' : (runs.at(-1)?.id ?? '');
    return { runs, isLast };
  };
}

type QuarantineDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** Another version of the workers may complete the task, so it is given this time. */
export const FAILING_FOR_MS = 15_000;

/** If more runs fail within a minute, the workers' code is the likely cause; quarantining the runs would lose them. */
const MOST_IN_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Finds runs to check, with the failure that a worker has recorded. */
type FindRuns = (deps: QuarantineDeps) => Promise<readonly Candidate[]>;
type Candidate = ActiveRun & { readonly note: TaskFailureNote | null };

/** Runs with a recorded failure: this finds poisoned runs among any number of others. */
export const notedRuns: FindRuns = async ({ store }) =>
  (await store.failingRuns.list(BATCH)).map(({ failure, ...run }) => ({ ...run, note: failure }));

/**
 * All active runs page by page, to find those whose failure could not be recorded because the database was unavailable.
 */
export function activeRuns(): FindRuns {
  const find = activeRunsInTurns();
  return async ({ store }) => (await find(store)).runs.map(({ failure, ...run }) => ({ ...run, note: failure }));
}

/** Ends runs whose workflow task fails repeatedly because of the run's content. */
export function createPoisonedRunsChore(
  find: FindRuns,
  brake: Brake,
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
  { note, ...run }: Candidate,
  isDue: (poisoned: Poisoned) => boolean,
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
function isPoisoned(poisoned: Poisoned, failingForMs: number): boolean {
  return guiltOf(poisoned) === 'proven' && Date.now() - poisoned.task.since >= failingForMs;
}

/** Returns true if a run may be quarantined now. */
export type Brake = (deps: Pick<QuarantineDeps, 'logger'>, runId: string) => boolean;

/** If too many runs are due within a minute, none is quarantined until a minute with fewer due runs has passed. */
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

type ReconcileDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** A write that the last activity has begun is completed within this time, unless its worker is suspended. */
export const SETTLED_AFTER_MS = 20_000;
/** The maximal delay of Temporal's visibility store. */
const OVERLAP_MS = 10 * 60_000;
/** A full search finds workflows that became visible even later. */
const LOOK_AT_ALL_EVERY_MS = 3_600_000;

/**
 * Ends the runs whose workflows were terminated or timed out in Temporal: they fail, their approvals are canceled, and
 * their threads are released. Each search covers the time since the last one; a full search follows at longer
 * intervals.
 */
export function createTerminatedRunsReconciler(
  settledAfterMs = SETTLED_AFTER_MS,
): (deps: ReconcileDeps, stopping: AbortSignal) => Promise<void> {
  let lookedUntil = 0;
  let lookedAtAll = 0;
  let again: readonly RunReference[] = [];
  return async function reconcileTerminatedRuns(deps, stopping) {
    const now = Date.now();
    const before = now - settledAfterMs;
    const isAll = now - lookedAtAll >= LOOK_AT_ALL_EVERY_MS;
    const span = { after: isAll ? null : formatTimestamp(lookedUntil - OVERLAP_MS), before: formatTimestamp(before) };
    const later: RunReference[] = [];
    for await (const run of concat(again, deps.engine.terminatedRuns(span))) {
      if (stopping.aborted) return;
      if (!(await isReconciled(deps, run, before))) later.push(run);
    }
    again = later;
    lookedUntil = before;
    if (isAll) lookedAtAll = now;
  };
}

async function* concat<T>(first: Iterable<T>, then: AsyncIterable<T>): AsyncIterable<T> {
  yield* first;
  yield* then;
}

/** @returns false when the run must be checked again; an error with one run does not stop the others */
async function isReconciled(deps: ReconcileDeps, run: RunReference, before: number): Promise<boolean> {
  try {
    return await endTerminatedRun(deps, run, before);
  } catch (error) {
    deps.logger.warn(
      { error, run: run.id },
      'a run whose workflow was terminated could not be reconciled; it will be tried again',
    );
    return false;
  }
}
