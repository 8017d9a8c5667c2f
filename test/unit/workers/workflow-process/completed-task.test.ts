import proto from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { createCompletedTaskCheck } from '../../../../src/workers/workflow-process/completed-task.ts';

const { EventType } = proto.temporal.api.enums.v1;
const { HistoryEvent } = proto.temporal.api.history.v1;
type Name = 'SCHEDULED' | 'STARTED' | 'COMPLETED' | 'TIMED_OUT';

const EXECUTION = { workflowId: 'run:demo:1', runId: 'abc' };

/** Of a history of workflow tasks, whose events have ids from 1 on, in pages of two. */
function checkOf(...names: readonly Name[]) {
  const events = names
    .map((name, at) =>
      HistoryEvent.fromObject({ eventId: at + 1, eventType: EventType[`EVENT_TYPE_WORKFLOW_TASK_${name}`] }),
    )
    .toReversed();
  let pages = 0;
  const wasCompleted = createCompletedTaskCheck(async (execution, token) => {
    expect(execution).toEqual(EXECUTION);
    pages += 1;
    const end = (token[0] ?? 0) + 2;
    return { events: events.slice(end - 2, end), nextToken: Uint8Array.from(end < events.length ? [end] : []) };
  });
  return { pages: () => pages, check: async (startedEventId: number) => await wasCompleted(EXECUTION, startedEventId) };
}

describe('a workflow task was completed', () => {
  const { check, pages } = checkOf(
    'SCHEDULED',
    'STARTED',
    'COMPLETED',
    'SCHEDULED',
    'STARTED',
    'COMPLETED',
    'SCHEDULED',
  );

  test('if its completion follows its start; the events before are not read', async () => {
    expect(await check(5)).toBe(true);
    expect(pages()).toBe(2);
  });

  test('however long ago', async () => {
    expect(await check(2)).toBe(true);
  });
});

test.each([
  ['it is open', 2, ['SCHEDULED', 'STARTED']],
  ['its time was over', 2, ['SCHEDULED', 'STARTED', 'TIMED_OUT', 'SCHEDULED', 'STARTED', 'COMPLETED']],
  ['it has not been started', 4, ['SCHEDULED', 'STARTED', 'COMPLETED', 'SCHEDULED', 'TIMED_OUT']],
  ['Temporal has no such event', 9, ['SCHEDULED', 'STARTED', 'COMPLETED']],
  ['its event is gone', 0, ['SCHEDULED', 'STARTED', 'COMPLETED']],
] as const)('a workflow task was not completed if %s', async (_, startedEventId, names) => {
  expect(await checkOf(...names).check(startedEventId)).toBe(false);
});
