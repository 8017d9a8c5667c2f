import { NOT_BEGUN_VIEW, journalBatch } from '../../graph/journal/index.ts';
import type { JournalBatch } from '../../graph/journal/index.ts';
import { hideRunError } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import { readVisibleReason } from '../../process/read-redaction.ts';
import type { RunRecord } from '../../store/runs.ts';
import { endMeasurements } from '../../telemetry/metrics/journal-measurements.ts';
import { measureAll, measure } from '../../telemetry/metrics/meter.ts';
import type { RunReference } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import type { WorkflowEnd, Quarantine } from '../temporal/workflow-end.ts';
import { FEWEST_PROOFS } from '../../store/failing-runs.ts';
import type { TaskFailureNote } from '../../store/failing-runs.ts';
import type { FailingTask } from '../temporal/open-workflow.ts';

/**
 * Ends a run whose workflow is missing or has ended without writing the run's end to the store. Runs that have ended or
 * whose workflow is open are left unchanged.
 * @param before an end at or after this time, in milliseconds, is left for a later call, because the last activity may
 * still write. A quarantined run is ended at once, as it has begun no activity for long
 * @returns false when the run is not dispatched, or its end is left for a later call
 */
export async function endTerminatedRun(
  { store, engine, logger }: Pick<ApiDeps, 'store' | 'engine' | 'logger'>,
  { tenantId, id }: RunReference,
  before: number,
): Promise<boolean> {
  const run = await store.runs.find(id);
  if (run?.tenantId !== tenantId || isEnded(run.status)) return true;
  if (run.dispatch.kind !== 'dispatched') return false;
  const end = await engine.workflowEnd(run);
  if (!end) return true;
  if (!SETTLED.has(end.kind) && Date.parse(end.at) > before) return false;
  const { executionRunId } = end;
  const batch = lastBatchOf(run, end, await store.approvals.ofRun(id, 'pending'));
  await store.journal.write(batch, { runId: id, tenantId, executionRunId });
  // Two concurrent sweepers may both count the end, because the journal does not report which of them has written it.
  measureAll(endMeasurements({ runId: id, graph: run.graph.name }, end.at, batch.view.status));
  const { code, message } = hideRunError(toRunError(end), run.redaction);
  logger.warn(
    { run: id, tenant: tenantId, end: end.kind, executionRunId, code, message },
    'a run whose workflow was terminated has been ended',
  );
  return true;
}

/** Kinds of ends after which no activity can write. */
const SETTLED: ReadonlySet<WorkflowEnd['kind']> = new Set(['quarantined', 'missing']);

function lastBatchOf(run: RunRecord, end: WorkflowEnd, approvals: readonly Approval[]): JournalBatch {
  const error = toRunError(end);
  const { at } = end;
  if (end.kind !== 'quarantined' || !end.cancel) return closingBatch(run, { type: 'run.failed', at, error }, approvals);
  const { by, reason } = end.cancel;
  return closingBatch(run, { type: 'run.canceled', at, by, reason }, approvals, error);
}

function toRunError(end: WorkflowEnd): RunError {
  switch (end.kind) {
    case 'timed-out':
      return { code: 'TIMEOUT', message: 'The workflow timed out in Temporal' };
    case 'failed':
      return { code: 'INTERNAL', message: 'The workflow failed in Temporal, whose history says why' };
    case 'missing':
      return {
        code: 'ABORTED',
        message: 'Temporal has no workflow of the run: it was deleted, or a backup was restored',
      };
    case 'ended':
      return {
        code: 'ABORTED',
        message: `The workflow has ${end.as} in Temporal; the store was restored from a backup`,
      };
    case 'contradicted':
      return { code: 'ABORTED', message: truncate(end.message, MAX_MESSAGE) };
    case 'quarantined':
      return { code: 'INTERNAL', message: truncate(end.message, MAX_MESSAGE) };
    case 'terminated': {
      const { by, reason } = end;
      const message = `Terminated in Temporal by ${by || 'somebody'}${reason === '' ? '' : `: ${reason}`}`;
      return { code: 'ABORTED', message: truncate(message, MAX_MESSAGE) };
    }
  }
}

/** The last event of a run, before its number and step are set. */
type LastEvent = { readonly at: string } & (
  | { readonly type: 'run.failed'; readonly error: RunError }
  | { readonly type: 'run.canceled'; readonly by: string; readonly reason: string | null }
);

/**
 * Builds the last journal batch of a run whose workflow can't write it. Pending approvals are canceled.
 * @param cancelError the reason why a canceled run could not end in order
 */
export function closingBatch(
  run: Pick<RunRecord, 'view' | 'lastSeq'>,
  event: LastEvent,
  approvals: readonly Approval[] = [],
  cancelError: RunError | null = null,
): JournalBatch {
  const view = run.view ?? NOT_BEGUN_VIEW;
  const ended =
    event.type === 'run.failed'
      ? { status: 'failed' as const, error: event.error }
      : { status: 'canceled' as const, error: cancelError };
  return journalBatch({
    events: [{ seq: run.lastSeq + 1, step: view.step, ...event }],
    approvals: approvals
      .filter(({ status }) => status === 'pending')
      .map((approval) => ({ ...approval, status: 'canceled' })),
    view: { ...view, ...ended, waitingFor: [], endedAt: event.at },
  });
}

type QuarantineDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** A run's failing workflow task, and the failure that a worker has recorded for it. */
export interface FailingRunTask {
  readonly task: FailingTask;
  readonly note: TaskFailureNote | null;
}

/**
 * Rates the evidence that the run's own code makes the task fail, rather than a worker, its machine or the database.
 */
export function judgeRunsGuilt({ task, note }: FailingRunTask): 'none' | 'some' | 'proven' {
  if (task.last.kind === 'refused') return task.failures >= FEWEST_PROOFS ? 'proven' : 'some';
  if (note?.by !== 'code' || note.executionRunId !== task.executionRunId) return 'none';
  return note.proofs >= FEWEST_PROOFS ? 'proven' : 'some';
}

/** Ends a run immediately, without its last steps. Several processes may call it at once. @throws ApiError 503 */
export async function quarantineRun(
  deps: QuarantineDeps,
  run: RunReference,
  { cancel = null, ...poisoned }: FailingRunTask & Partial<Pick<Quarantine, 'cancel'>>,
): Promise<void> {
  const { executionRunId } = poisoned.task;
  const message = quarantineMessage(poisoned);
  const isDone = await deps.engine.quarantine({ ...run, executionRunId }, { message, cancel });
  if (isDone) {
    measure('holdfast.runs.put_aside', 1, {});
    const visible = await readVisibleReason(deps.store, run.id, message);
    // The reason of a cancel is a person's text, which may quote redacted values.
    const asked = cancel && { by: cancel.by, signalId: cancel.signalId };
    deps.logger.warn({ run: run.id, tenant: run.tenantId, message: visible, cancel: asked }, 'a run was put aside');
  }
  await endTerminatedRun(deps, run, Date.now());
}

function quarantineMessage({ task: { failures, last }, note }: FailingRunTask): string {
  const failure = last.kind === 'timed-out' ? 'the workers that had it gave no answer' : last.message;
  const count = Math.max(failures, note?.by === 'code' ? note.proofs : 0);
  const times = count === 1 ? 'once' : `${count} times`;
  const reason = note?.by === 'code' ? note.reason : failure;
  return `The run was ended without its last steps: its workflow task failed ${times}: ${reason}`;
}
