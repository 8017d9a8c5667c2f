import type { ApiDeps } from '../deps.ts';
import { endTerminatedRun } from '../runs/end-terminated-run.ts';
import { HOUR_MS, MINUTE_MS, formatTimestamp } from '../../graph/values/index.ts';
import type { RunReference } from '../../workflows/contract.ts';

type ReconcileDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** A write that the last activity has begun is completed within this time, unless its worker is suspended. */
export const SETTLED_AFTER_MS = 20_000;

/** The maximal delay of Temporal's visibility store. */
const OVERLAP_MS = 10 * MINUTE_MS;

/** A full search finds workflows that became visible even later. */
const LOOK_AT_ALL_EVERY_MS = HOUR_MS;

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
    for await (const run of concatAsync(again, deps.engine.abortedRuns(span))) {
      if (stopping.aborted) return;
      if (!(await isReconciled(deps, run, before))) later.push(run);
    }
    again = later;
    lookedUntil = before;
    if (isAll) lookedAtAll = now;
  };
}

async function* concatAsync<T>(first: Iterable<T>, then: AsyncIterable<T>): AsyncIterable<T> {
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
