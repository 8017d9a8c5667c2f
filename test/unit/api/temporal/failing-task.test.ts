import proto from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { judgeWorkflowTask } from '../../../../src/api/temporal/open-workflow.ts';

const { EventType, TimeoutType, WorkflowTaskFailedCause: Cause } = proto.temporal.api.enums.v1;

type Event = Parameters<typeof judgeWorkflowTask>[2][number];

/** Events with the times 1, 2, 3 … in seconds. */
const history = (...events: readonly Event[]): Event[] =>
  events
    .map((event, at) => ({ ...event, eventTime: proto.google.protobuf.Timestamp.fromObject({ seconds: at + 1 }) }))
    .reverse();

const completed: Event = { eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED };
const signaled: Event = { eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED };
const scheduled: Event = { eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED };
const failed = (
  message: string,
  cause = Cause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
): Event => ({
  eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
  workflowTaskFailedEventAttributes: { cause, failure: { message } },
});
const timedOut = (timeoutType = TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE): Event => ({
  eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
  workflowTaskTimedOutEventAttributes: { timeoutType },
});

const judge = (attempt: number, ...events: readonly Event[]) => judgeWorkflowTask('e1', attempt, history(...events));

describe('a workflow task', () => {
  test.each([
    ['that waits for its first worker', judge(1, completed, signaled, scheduled)],
    ['that follows one that failed and was done in the end', judge(1, failed('x'), completed, signaled, scheduled)],
    [
      'whose worker was gone when the task came',
      judge(1, timedOut(TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START), scheduled),
    ],
    [
      'that is done anew because of a signal',
      judge(1, failed('x', Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND), scheduled),
    ],
    ['of a run without a history', judge(1)],
  ])('a workflow task %s is not failing', (_, task) => {
    expect(task).toBeNull();
  });

  test.each([
    ['its first attempt', 1, judge(2, completed, failed('x'))],
    [
      'a first attempt in the worker’s memory and one elsewhere',
      2,
      judge(2, completed, failed('x'), scheduled, failed('y')),
    ],
    ['attempts of which no event tells', 4, judge(5, completed, failed('x'))],
    ['attempts before and after a signal', 2, judge(2, completed, failed('x'), signaled, scheduled, failed('y'))],
    ['time-outs', 3, judge(4, completed, timedOut())],
  ])('the failures include %s', (_, failures, task) => {
    expect(task?.failures).toBe(failures);
  });

  test('a failing task has the time of its first failure and the message of its last one', () => {
    expect(judge(2, completed, timedOut(), scheduled, failed('why'))).toEqual({
      executionRunId: 'e1',
      failures: 2,
      since: 2_000,
      last: { kind: 'failed', message: 'why' },
    });
    expect(judge(2, failed('why'), scheduled, timedOut())?.last).toEqual({ kind: 'timed-out' });
  });

  test.each([
    [Cause.WORKFLOW_TASK_FAILED_CAUSE_BAD_SEARCH_ATTRIBUTES, 'refused'],
    [Cause.WORKFLOW_TASK_FAILED_CAUSE_PAYLOADS_TOO_LARGE, 'refused'],
    [Cause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR, 'failed'],
    [Cause.WORKFLOW_TASK_FAILED_CAUSE_EXTERNAL_STORAGE_FAILURE, 'failed'],
    [Cause.WORKFLOW_TASK_FAILED_CAUSE_FEATURE_DISABLED, 'failed'],
    [Cause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE, 'failed'],
  ])('a failed task with the cause %i has %s', (cause, kind) => {
    expect(judge(2, failed('no', cause))?.last).toEqual({ kind, message: 'no' });
  });
});
