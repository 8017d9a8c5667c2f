import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { LOCAL_LIMIT_MS } from '../graph/definition/index.ts';
import type { CallPolicy } from '../graph/definition/index.ts';
import type { CallEffect } from '../graph/run/index.ts';
import { MAX_SUMMARY, TASK_QUEUE } from './contract.ts';
import { truncate } from '../graph/values/index.ts';

/**
 * Writing the journal is retried without limit while the database is unavailable. It has priority over all waiting calls
 * of the task queue.
 */
const journalOptions: ActivityOptions = {
  taskQueue: TASK_QUEUE,
  priority: { priorityKey: 1 },
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.ABANDON,
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  summary: 'journal',
};

export const activities = proxyActivities<Activities>(journalOptions);

/** The time for which a call may wait for its worker. */
const LOCAL_GRACE_MS = 1_000;

/** A local call enforces its time limit and makes its attempts itself. */
const localOptionsOfAll: LocalActivityOptions = {
  scheduleToCloseTimeout: LOCAL_LIMIT_MS + LOCAL_GRACE_MS,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 1 },
};

export const localActivities = proxyLocalActivities<Pick<Activities, 'callLocally'>>(localOptionsOfAll);

/** Returns the options of a local call. */
export function localOptions({ summary }: CallEffect): LocalActivityOptions {
  return { ...localOptionsOfAll, summary: truncate(summary, MAX_SUMMARY) };
}

/**
 * Returns the activity options for reconciling a call with the ledger. Reconciling is retried without limit, because
 * the run must know the outcome.
 */
export function reconcileOptions(summary: string): ActivityOptions {
  return { ...journalOptions, summary: truncate(`reconcile ${summary}`, MAX_SUMMARY) };
}

/** 0 is the priority of the run. Without it, the proxy's options would give calls the priority of the journal. */
const CALL_PRIORITY = { priorityKey: 0 };

/** The activity enforces its deadline itself. The server waits this much longer, so that the outcome is recorded. */
const DEADLINE_GRACE_MS = 10_000;
/** The time for claiming a call and recording its outcome while the database is unavailable. */
const RECORDING_MS = 5 * 60_000;

/**
 * Returns the activity options of one call. The activity counts the attempts of the call in the ledger. The server
 * retries without limit only failures before the call, such as a lost worker or an unavailable database.
 */
export function callOptions(call: CallEffect): ActivityOptions {
  const { request, summary, key } = call;
  const { timeoutMs, deadlineMs, heartbeatMs, retry } = request.policy;
  return {
    activityId: key,
    taskQueue: separateTaskQueue(call) ?? TASK_QUEUE,
    priority: CALL_PRIORITY,
    summary: truncate(summary, MAX_SUMMARY),
    startToCloseTimeout: timeoutMs + RECORDING_MS,
    ...(deadlineMs !== null && { scheduleToCloseTimeout: deadlineMs + DEADLINE_GRACE_MS }),
    heartbeatTimeout: heartbeatMs,
    cancellationType: cancellationTypeOf(call),
    retry: toRetryPolicy(retry),
  };
}

/**
 * Returns the task queue of a call that has separate workers.
 * @returns `null` if the workers of the runs serve it
 */
export function separateTaskQueue({ request }: CallEffect): string | null {
  const { taskQueue = TASK_QUEUE } = 'taskQueue' in request ? request : {};
  return taskQueue === TASK_QUEUE ? null : taskQueue;
}

function toRetryPolicy({ initialMs, coefficient, maxMs }: CallPolicy['retry']): NonNullable<ActivityOptions['retry']> {
  const firstMs = Math.max(1, initialMs);
  return { initialInterval: firstMs, backoffCoefficient: coefficient, maximumInterval: Math.max(firstMs, maxMs) };
}

/**
 * A canceled model call needs no result; the outcome of any other call must be known. A cancelable call may be repeated
 * under the same activity id, so the first activity must have ended.
 */
function cancellationTypeOf({ request, isCancelable }: CallEffect): ActivityCancellationType {
  return request.kind === 'model' && !isCancelable
    ? ActivityCancellationType.TRY_CANCEL
    : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
}
