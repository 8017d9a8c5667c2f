import type { Approval } from '../graph/approval.ts';
import type { RunError } from '../graph/errors.ts';
import type { JournalBatch } from '../graph/journal-batch.ts';
import { isEnded } from '../graph/run.ts';
import { NOT_BEGUN } from '../graph/run-view.ts';
import { truncate } from '../graph/truncate.ts';
import type { RunRecord } from '../store/runs.ts';
import type { RunReference } from '../workflows/contract.ts';
import type { ApiDeps } from './environment.ts';
import type { ForcedEnd } from './forced-ends.ts';

type EndDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** What a run had begun to write when it was ended is written by then. */
const SETTLED_AFTER_MS = 5_000;
/** Visibility may be told late. */
const OVERLAP_MS = 10 * 60_000;

/**
 * Ends the runs whose workflows somebody has terminated in Temporal, or that Temporal has: they fail, nobody is asked any
 * more, and their threads are free. Each time, those are looked for that ended since the last.
 */
export function createForcedRunsEnder(): (deps: EndDeps) => Promise<void> {
  let lookedUntil: number | null = null;
  return async function endForcedRuns(deps) {
    const until = Date.now() - SETTLED_AFTER_MS;
    const after = lookedUntil === null ? null : toTime(lookedUntil - OVERLAP_MS);
    for await (const run of deps.engine.forcedEnds({ after, before: toTime(until) })) await endForcedRun(deps, run);
    lookedUntil = until;
  };
}

/** Leaves alone a run that has ended, goes on in another execution, or is about to. */
async function endForcedRun({ store, engine, logger }: EndDeps, { tenantId, id }: RunReference): Promise<void> {
  const run = await store.runs.find(id);
  if (run?.tenantId !== tenantId || isEnded(run.status) || !run.isHandedOver) return;
  const end = await engine.forcedEnd(run);
  if (!end) return;
  const { executionRunId } = end;
  const batch = lastWords(run, end, await store.approvals.ofRun(id));
  await store.journal.write(batch, { runId: id, tenantId, executionRunId });
  logger.warn({ run: id, end }, 'a run was ended by force');
}

/** What a run would have said that is over at once. */
function lastWords(run: RunRecord, end: ForcedEnd, approvals: readonly Approval[]): JournalBatch {
  const { at } = end;
  const view = run.view ?? NOT_BEGUN;
  const error = toError(end);
  return {
    events: [{ seq: run.lastSeq + 1, at, step: view.step, type: 'run.failed', error }],
    checkpoints: [],
    approvals: approvals
      .filter(({ status }) => status === 'pending')
      .map((approval) => ({ ...approval, status: 'canceled' })),
    signals: [],
    view: { ...view, status: 'failed', waitingFor: [], error, endedAt: at },
    closed: null,
  };
}

const MAX_MESSAGE = 1_000;

function toError(end: ForcedEnd): RunError {
  if (end.kind === 'timed-out') return { code: 'TIMEOUT', message: 'The workflow timed out in Temporal' };
  const { by, reason } = end;
  const message = `Terminated in Temporal by ${by || 'somebody'}${reason === '' ? '' : `: ${reason}`}`;
  return { code: 'ABORTED', message: truncate(message, MAX_MESSAGE) };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
