import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { CallPolicy } from '../graph/definition/index.ts';
import type { CallEffect } from '../graph/run/index.ts';
import { MAX_SUMMARY, TASK_QUEUE } from './contract.ts';
import { truncate } from '../graph/values/index.ts';

/** The journal has to be written, however long the database is away. */
const journalOptions: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.ABANDON,
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  summary: 'journal',
};

export const activities = proxyActivities<Activities>(journalOptions);

/** Options of finding out what has become of a call, which has to be known as well. */
export function settlingOptions(summary: string): ActivityOptions {
  return { ...journalOptions, summary: truncate(`what became of ${summary}`, MAX_SUMMARY) };
}

/** The activity gives up by itself at its time-out; the server waits longer, so that what happened is recorded. */
const GRACE_MS = 10_000;
/** Also where the database is away meanwhile: claiming a call and recording what became of it are tried for minutes. */
const RECORD_WITHIN_MS = 5 * 60_000;

/**
 * Options of one call. The attempts are counted by the activity, in the ledger: what the server retries without end is
 * the way to it, such as a worker that died or a database that is away.
 */
export function callOptions(call: CallEffect): ActivityOptions {
  const { request, summary, key } = call;
  const taskQueue = queueElsewhere(call);
  const { timeoutMs, deadlineMs, heartbeatMs, retry } = request.policy;
  return {
    activityId: key,
    ...(taskQueue !== null && { taskQueue }),
    summary: truncate(summary, MAX_SUMMARY),
    startToCloseTimeout: timeoutMs + RECORD_WITHIN_MS,
    ...(deadlineMs !== null && { scheduleToCloseTimeout: deadlineMs + GRACE_MS }),
    heartbeatTimeout: heartbeatMs,
    cancellationType: cancellationOf(call),
    retry: toRetryPolicy(retry),
  };
}

/** The queue of a call that other workers serve than those that serve runs. @returns `null`: they serve it */
export function queueElsewhere({ request }: CallEffect): string | null {
  const { taskQueue = TASK_QUEUE } = request.kind === 'tool' ? request : {};
  return taskQueue === TASK_QUEUE ? null : taskQueue;
}

function toRetryPolicy({ initialMs, coefficient, maxMs }: CallPolicy['retry']): NonNullable<ActivityOptions['retry']> {
  const first = Math.max(1, initialMs);
  return { initialInterval: first, backoffCoefficient: coefficient, maximumInterval: Math.max(first, maxMs) };
}

/**
 * An answer of a model that nobody waits for is worth nothing; what a tool has done has to be known. A call that may be
 * made again by the same execution has to be over first: two can't have one id.
 */
function cancellationOf({ request, isCancelable }: CallEffect): ActivityCancellationType {
  return request.kind === 'model' && !isCancelable
    ? ActivityCancellationType.TRY_CANCEL
    : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
}
