import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { LOCAL_LIMIT_MS } from '../graph/definition/index.ts';
import type { CallPolicy } from '../graph/definition/index.ts';
import type { CallEffect } from '../graph/run/index.ts';
import { MAX_SUMMARY, TASK_QUEUE } from './contract.ts';
import { truncate } from '../graph/values/index.ts';

/**
 * The journal must be written, so it is retried without end while the database is away. It comes before all calls of the
 * queue that wait.
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

/** Covers the time for which a call waits for its worker. */
const LOCAL_GRACE_MS = 1_000;

/** A local call ends itself in time, and makes its attempts itself. */
const localOptionsOfAll: LocalActivityOptions = {
  scheduleToCloseTimeout: LOCAL_LIMIT_MS + LOCAL_GRACE_MS,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 1 },
};

export const localActivities = proxyLocalActivities<Pick<Activities, 'callLocally'>>(localOptionsOfAll);

/** Options of a local call. */
export function localOptions({ summary }: CallEffect): LocalActivityOptions {
  return { ...localOptionsOfAll, summary: truncate(summary, MAX_SUMMARY) };
}

/**
 * Activity options for reconciling a call with the ledger; retried without end, since the run must know the outcome.
 */
export function reconcileOptions(summary: string): ActivityOptions {
  return { ...journalOptions, summary: truncate(`reconcile ${summary}`, MAX_SUMMARY) };
}

/** 0: as the run. The proxy's options hold the journal's priority, which would count for calls otherwise. */
const CALL_PRIORITY = { priorityKey: 0 };

/** The activity enforces its deadline itself; the server waits this much longer, so that the outcome is recorded. */
const GRACE_MS = 10_000;
/** Covers claiming a call and recording its outcome while the database is away. */
const RECORDING_MS = 5 * 60_000;

/**
 * Activity options of one call. The activity counts the attempts of the call in the ledger; the server retries without
 * limit only what precedes the call, such as a lost worker or a database that is away.
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
    ...(deadlineMs !== null && { scheduleToCloseTimeout: deadlineMs + GRACE_MS }),
    heartbeatTimeout: heartbeatMs,
    cancellationType: cancellationOf(call),
    retry: toRetryPolicy(retry),
  };
}

/**
 * The task queue of a call that workers of its own serve.
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
 * A canceled model call needs no result; the outcome of any other call must be known. A cancelable call may be made
 * again under the same activity id, so it must be over first.
 */
function cancellationOf({ request, isCancelable }: CallEffect): ActivityCancellationType {
  return request.kind === 'model' && !isCancelable
    ? ActivityCancellationType.TRY_CANCEL
    : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
}
