import proto from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { createCompletedTaskCheck } from '../../../../src/workers/workflow-process/completed-task.ts';

const { EventType } = proto.temporal.api.enums.v1;
const { HistoryEvent } = proto.temporal.api.history.v1;
type Name = 'TASK_SCHEDULED' | 'TASK_STARTED' | 'TASK_COMPLETED' | 'TASK_TIMED_OUT' | 'EXECUTION_TERMINATED';

const EXECUTION = { workflowId: 'run:demo:1', runId: 'abc' };
const OWN = '1@here';

/** Of a history whose events have ids from 1 on, in pages of two. */
function checkOf(names: readonly Name[], worker = OWN) {
  const events = names
    .map((name, at) =>
      HistoryEvent.fromObject({
        eventId: at + 1,
        eventType: EventType[`EVENT_TYPE_WORKFLOW_${name}`],
        ...(name === 'TASK_STARTED' && { workflowTaskStartedEventAttributes: { identity: worker } }),
      }),
    )
    .toReversed();
  let pages = 0;
  const wasCompleted = createCompletedTaskCheck(async (execution, token) => {
    expect(execution).toEqual(EXECUTION);
    pages += 1;
    const end = (token[0] ?? 0) + 2;
    return { events: events.slice(end - 2, end), nextToken: Uint8Array.from(end < events.length ? [end] : []) };
  }, OWN);
  return { pages: () => pages, check: async (startedEventId: number) => await wasCompleted(EXECUTION, startedEventId) };
}

const TASK = ['TASK_SCHEDULED', 'TASK_STARTED', 'TASK_COMPLETED'] as const;

describe('a completed workflow task', () => {
  test('a workflow task was completed if its completion event follows its start; earlier events are not read', async () => {
    const { check, pages } = checkOf([...TASK, ...TASK, 'TASK_SCHEDULED']);
    expect(await check(5)).toBe(true);
    expect(pages()).toBe(2);
  });

  test('a workflow task was completed if the execution is closed', async () => {
    expect(await checkOf([...TASK, 'TASK_SCHEDULED', 'EXECUTION_TERMINATED']).check(5)).toBe(true);
  });
});

test.each([
  ['it is open', 2, ['TASK_SCHEDULED', 'TASK_STARTED']],
  ['it has timed out', 2, ['TASK_SCHEDULED', 'TASK_STARTED', 'TASK_TIMED_OUT', ...TASK]],
  ['it has not been started', 4, [...TASK, 'TASK_SCHEDULED', 'TASK_TIMED_OUT']],
  ['Temporal has no such event', 9, TASK],
  ['it was too long ago', 2, [...TASK, ...TASK, ...TASK]],
] as const)('a workflow task was not completed if %s', async (_, startedEventId, names) => {
  expect(await checkOf(names).check(startedEventId)).toBe(false);
});

test('a workflow task that another worker has started counts as not completed by this one', async () => {
  expect(await checkOf(TASK, '2@there').check(2)).toBe(false);
});
