import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { temporal, google } from '@temporalio/proto';
import { toWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';

/** A workflow task that is being retried after a failure or a timeout. */
export interface FailingTask {
  /** Temporal's id of the execution. */
  readonly executionRunId: string;
  /** The number of known failures and timeouts at a worker; the real number may be higher. */
  readonly failures: number;
  /** The time of the first failure, in milliseconds since the epoch. */
  readonly since: number;
  readonly last: LastFailure;
}

/** The last failure in the history; later attempts are not recorded there. */
export type LastFailure =
  /** Temporal refused the commands of the task, or they contradict its history. */
  | { readonly kind: 'refused'; readonly message: string }
  /** A worker reported that it could not complete the task. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A worker took the task and did not answer. */
  | { readonly kind: 'timed-out' };

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const { EventType, TimeoutType, WorkflowTaskFailedCause: Cause } = proto.temporal.api.enums.v1;

/** The most events that are read since the last completed task. In a longer history, older failures are not counted. */
const MAX_EVENTS = 200;

/** @returns `null` when no workflow task of the run is being retried */
export async function readFailingTask(
  { workflowService, options: { namespace } }: Client,
  run: RunReference,
): Promise<FailingTask | null> {
  const { workflowExecutionInfo, pendingWorkflowTask } = await workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId: toWorkflowId(run) },
  });
  const execution = workflowExecutionInfo?.execution;
  if (!pendingWorkflowTask || !execution?.runId) return null;
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution,
    maximumPageSize: MAX_EVENTS,
  });
  return judgeWorkflowTask(execution.runId, pendingWorkflowTask.attempt ?? 1, history?.events ?? []);
}

/** @param newestFirst the events of a history */
export function judgeWorkflowTask(
  executionRunId: string,
  attempt: number,
  newestFirst: readonly HistoryEvent[],
): FailingTask | null {
  const done = newestFirst.findIndex(({ eventType }) => eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED);
  const events = newestFirst.slice(0, done === -1 ? undefined : done).flatMap((event) => {
    const failure = toLastFailure(event);
    return failure ? [{ failure, at: Number(event.eventTime?.seconds ?? 0) * 1_000 }] : [];
  });
  const [last] = events;
  const first = events.at(-1);
  if (!last || !first) return null;
  // A first attempt writes an event. If it fails, its successor on another task queue is a first attempt as well.
  const withoutEvent = Math.max(0, attempt - 2);
  return { executionRunId, failures: events.length + withoutEvent, since: first.at, last: last.failure };
}

function toLastFailure({
  workflowTaskFailedEventAttributes: failed,
  workflowTaskTimedOutEventAttributes: timedOut,
}: HistoryEvent): LastFailure | null {
  if (timedOut) return timedOut.timeoutType === TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE ? { kind: 'timed-out' } : null;
  if (!failed) return null;
  const cause = failed.cause ?? Cause.WORKFLOW_TASK_FAILED_CAUSE_UNSPECIFIED;
  const message = failed.failure?.message ?? '';
  if (NO_FAILURES.has(cause)) return null;
  return { kind: OF_WORKERS.has(cause) ? 'failed' : 'refused', message };
}

/** Causes that are no failures: the task is repeated because something has happened in the meantime. */
const NO_FAILURES: ReadonlySet<number> = new Set([
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_UPDATE,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FAILOVER_CLOSE_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_PAUSE_REQUESTED_BEFORE_TASK_STARTED,
]);

/** For these causes, only the worker can decide whether the run's code is at fault. */
const OF_WORKERS: ReadonlySet<number> = new Set([
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNSPECIFIED,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_BAD_BINARY,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_EXTERNAL_STORAGE_FAILURE,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FEATURE_DISABLED,
]);

/** An activity of a run that Temporal has scheduled and that has not ended. */
export interface PendingActivity {
  readonly id: string;
  /** The type of the activity, such as `callTool`. */
  readonly type: string;
  readonly state: 'scheduled' | 'started' | 'canceling' | 'paused' | 'unknown';
  readonly attempt: number;
  readonly scheduledAt: string | null;
  readonly lastStartedAt: string | null;
  readonly lastHeartbeatAt: string | null;
  readonly lastWorker: string | null;
  readonly lastFailure: string | null;
}

type PendingActivityInfo = temporal.api.workflow.v1.IPendingActivityInfo;

const { PendingActivityState: State } = proto.temporal.api.enums.v1;

const STATES: ReadonlyMap<number, PendingActivity['state']> = new Map([
  [State.PENDING_ACTIVITY_STATE_SCHEDULED, 'scheduled'],
  [State.PENDING_ACTIVITY_STATE_STARTED, 'started'],
  [State.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED, 'canceling'],
  [State.PENDING_ACTIVITY_STATE_PAUSED, 'paused'],
]);

/**
 * Reads the activities of a run's workflow that have not ended.
 * @throws when Temporal does not answer or has no such workflow
 */
export async function readPendingActivities(
  { workflowService, options: { namespace } }: Client,
  run: RunReference,
): Promise<readonly PendingActivity[]> {
  const execution = { workflowId: toWorkflowId(run) };
  const { pendingActivities } = await workflowService.describeWorkflowExecution({ namespace, execution });
  return (pendingActivities ?? []).map(toPendingActivity);
}

function toPendingActivity(info: PendingActivityInfo): PendingActivity {
  return {
    id: info.activityId ?? '',
    type: info.activityType?.name ?? '',
    state: STATES.get(info.state ?? -1) ?? 'unknown',
    attempt: info.attempt ?? 1,
    scheduledAt: toTimestampOrNull(info.scheduledTime),
    lastStartedAt: toTimestampOrNull(info.lastStartedTime),
    lastHeartbeatAt: toTimestampOrNull(info.lastHeartbeatTime),
    lastWorker: info.lastWorkerIdentity || null,
    lastFailure: info.lastFailure?.message ?? null,
  };
}

function toTimestampOrNull(time: google.protobuf.ITimestamp | null | undefined): string | null {
  const ms = Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
  return ms > 0 ? new Date(ms).toISOString() : null;
}
