import type { JournalBatch } from '../../graph/journal/index.ts';
import { NOT_BEGUN } from '../../graph/journal/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import { formatTimestamp, MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { RunReference } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import type { TerminatedRun } from '../temporal/terminated-runs.ts';

type ReconcileDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** So long a write may take that a run's last activity had begun. One of a worker that stood still comes later. */
export const SETTLED_AFTER_MS = 20_000;
/** Visibility may be told late. */
const OVERLAP_MS = 10 * 60_000;
/** Everything is looked at again, for what was written or told even later. */
const LOOK_AT_ALL_EVERY_MS = 3_600_000;

/**
 * Ends the runs whose workflows somebody has terminated in Temporal, or that Temporal has: they fail, nobody is asked any
 * more, and their threads are free. Each time, those are looked for that ended since the last, and now and then all.
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
    for await (const run of inTurn(again, deps.engine.terminatedRuns(span))) {
      if (stopping.aborted) return;
      if (!(await isSeenTo(deps, run, before))) later.push(run);
    }
    again = later;
    lookedUntil = before;
    if (isAll) lookedAtAll = now;
  };
}

async function* inTurn<T>(first: Iterable<T>, then: AsyncIterable<T>): AsyncIterable<T> {
  yield* first;
  yield* then;
}

/** @returns false: it has to be looked at again. What goes wrong with one run keeps no other from its end. */
async function isSeenTo(deps: ReconcileDeps, run: RunReference, before: number): Promise<boolean> {
  try {
    return await reconcileRun(deps, run, before);
  } catch (error) {
    deps.logger.warn(
      { error, run: run.id },
      'a run that was ended by force could not be seen to; it will be tried again',
    );
    return false;
  }
}

/** Leaves alone a run that has ended or goes on. @returns false: it is on its way to Temporal, or ended a moment ago */
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
  const batch = lastWords(run, end, await store.approvals.ofRun(id));
  await store.journal.write(batch, { runId: id, tenantId, executionRunId });
  logger.warn({ run: id, end }, 'the end of a run is noted that was ended by force');
  return true;
}

/** What a run would have said that is over at once. */
function lastWords(run: RunRecord, end: TerminatedRun, approvals: readonly Approval[]): JournalBatch {
  const { at } = end;
  const view = run.view ?? NOT_BEGUN;
  const error = toError(end);
  return {
    events: [{ seq: run.lastSeq + 1, at, step: view.step, type: 'run.failed', error }],
    checkpoints: [],
    approvals: approvals
      .filter(({ status }) => status === 'pending')
      .map((approval) => ({ ...approval, status: 'canceled' })),
    occurrences: [],
    view: { ...view, status: 'failed', waitingFor: [], error, endedAt: at },
    endedState: null,
  };
}

function toError(end: TerminatedRun): RunError {
  if (end.kind === 'timed-out') return { code: 'TIMEOUT', message: 'The workflow timed out in Temporal' };
  const { by, reason } = end;
  const message = `Terminated in Temporal by ${by || 'somebody'}${reason === '' ? '' : `: ${reason}`}`;
  return { code: 'ABORTED', message: truncate(message, MAX_MESSAGE) };
}
