import { isEnded } from '../../graph/run/index.ts';
import { formatTimestamp, MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { RunReference } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { closingBatch } from '../runs/closing-batch.ts';
import type { TerminatedRun } from '../temporal/terminated-runs.ts';

type ReconcileDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** A write that the last activity has begun takes no longer, unless its worker stood still. */
export const SETTLED_AFTER_MS = 20_000;
/** Temporal's visibility may lag behind by this much. */
const OVERLAP_MS = 10 * 60_000;
/** A full search finds what was written or became visible even later. */
const LOOK_AT_ALL_EVERY_MS = 3_600_000;

/**
 * Ends the runs whose workflows were terminated or timed out in Temporal: they fail, their approvals are canceled,
 * their threads are free. Each search covers the time since the last one; now and then it covers all.
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

/** @returns false when the run must be looked at again; an error with one run does not stop the others */
async function isReconciled(deps: ReconcileDeps, run: RunReference, before: number): Promise<boolean> {
  try {
    return await reconcileRun(deps, run, before);
  } catch (error) {
    deps.logger.warn(
      { error, run: run.id },
      'a run whose workflow was terminated could not be reconciled; it will be tried again',
    );
    return false;
  }
}

/**
 * Leaves runs alone that have ended or go on.
 * @returns false when the run is not dispatched, or its end is too recent
 */
async function reconcileRun(
  { store, engine, logger }: ReconcileDeps,
  { tenantId, id }: RunReference,
  before: number,
): Promise<boolean> {
  const run = await store.runs.find(id);
  if (run?.tenantId !== tenantId || isEnded(run.status)) return true;
  if (!run.isDispatched) return false;
  const end = await engine.terminatedRun(run);
  if (!end) return true;
  if (Date.parse(end.at) > before) return false;
  const { executionRunId } = end;
  const event = { type: 'run.failed', at: end.at, error: toError(end) } as const;
  const batch = closingBatch(run, event, await store.approvals.ofRun(id));
  await store.journal.write(batch, { runId: id, tenantId, executionRunId });
  logger.warn({ run: id, end }, 'a run whose workflow was terminated has been ended');
  return true;
}

function toError(end: TerminatedRun): RunError {
  switch (end.kind) {
    case 'timed-out':
      return { code: 'TIMEOUT', message: 'The workflow timed out in Temporal' };
    case 'failed':
      return { code: 'INTERNAL', message: 'The workflow failed in Temporal, whose history says why' };
    case 'terminated': {
      const { by, reason } = end;
      const message = `Terminated in Temporal by ${by || 'somebody'}${reason === '' ? '' : `: ${reason}`}`;
      return { code: 'ABORTED', message: truncate(message, MAX_MESSAGE) };
    }
  }
}
