import { describe, expect, test } from 'vitest';
import { createExecutionProgress } from '../../../../src/workers/workflow-process/execution-progress.ts';
import type { ExecutionProgress } from '../../../../src/workers/workflow-process/execution-progress.ts';

const task = (historyLength: number) => ({ historyLength, jobs: [{ fireTimer: { seq: 1 } }] });
const replayed = (historyLength: number) => ({ ...task(historyLength), isReplaying: true });
const query = (queryId: string) => ({ historyLength: 0, jobs: [{ queryWorkflow: { queryId, queryType: 'status' } }] });
const DIRECT = query('legacy_query');

/** Temporal knows that some tasks were completed, by the events that have started them. */
function progressAfter(...completed: readonly number[]) {
  const asked: number[] = [];
  const given = createExecutionProgress(async (startedEventId) => {
    asked.push(startedEventId);
    return completed.includes(startedEventId);
  });
  const take: ExecutionProgress['mayActivate'] = async (activation) => await given.mayActivate(activation);
  return { asked, take, answered: (answer: Parameters<ExecutionProgress['completed']>[0]) => given.completed(answer) };
}

describe('a query without a workflow task', () => {
  test('a query without a workflow task is answered in the state after a completed task', async () => {
    const { asked, take } = progressAfter(8);
    for (const activation of [task(3), task(8), DIRECT, DIRECT, task(13)]) expect(await take(activation)).toBe(true);
    expect(asked).toEqual([8, 8]);
  });

  test('a query without a workflow task is not answered when the SDK core has replayed further events', async () => {
    const { take } = progressAfter(3);
    for (const activation of [task(3), task(7)]) expect(await take(activation)).toBe(true);
    expect(await take(DIRECT)).toBe(false);
  });

  test('a query without a workflow task is answered after a replay without a request to Temporal', async () => {
    const { asked, take } = progressAfter();
    for (const activation of [replayed(3), replayed(8), DIRECT]) expect(await take(activation)).toBe(true);
    expect(asked).toEqual([]);
  });

  test('a query without a workflow task fails when Temporal does not answer', async () => {
    const given = createExecutionProgress(async () => {
      throw new Error('Temporal is away');
    });
    await given.mayActivate(task(3));
    await expect(given.mayActivate(DIRECT)).rejects.toThrow('Temporal is away');
  });
});

test('workflow tasks and their queries are accepted without a request to Temporal', async () => {
  const { asked, take } = progressAfter();
  for (const activation of [task(3), query('1'), task(3), task(8)]) expect(await take(activation)).toBe(true);
  expect(asked).toEqual([]);
});

describe('a task that arrives while local calls are open', () => {
  const CALLS = { successful: { commands: [{ scheduleLocalActivity: { seq: 1 } }, { startTimer: { seq: 2 } }] } };
  const end = (historyLength: number) => ({
    historyLength,
    jobs: [{ resolveActivity: { seq: 1, isLocal: true } }],
  });

  test('a workflow task during open local activities is accepted if it has made them, or the task that made them was completed', async () => {
    const { asked, take, answered } = progressAfter(3);
    await take(task(3));
    answered(CALLS);
    expect(await take(task(3))).toBe(true);
    expect(asked).toEqual([]);
    expect(await take(task(8))).toBe(true);
    expect(asked).toEqual([3]);
  });

  test('a workflow task during open local activities is not accepted if the SDK core makes them for a query', async () => {
    const { take, answered } = progressAfter();
    await take(task(7));
    answered(CALLS);
    expect(await take(task(13))).toBe(false);
  });

  test('a workflow task during open local activities is not accepted if it is their renewed task, because a replay would see another time and length', async () => {
    const { asked, take, answered } = progressAfter(3);
    await take(task(3));
    answered(CALLS);
    expect(await take(end(6))).toBe(false);
    expect(asked).toEqual([]);
  });

  test('a workflow task during open local activities is accepted after a replay in which the SDK core has made them', async () => {
    const { take, answered } = progressAfter();
    await take(replayed(3));
    answered(CALLS);
    expect(await take(end(8))).toBe(true);
  });

  test('a workflow task during open local activities is accepted with their ends if it had other jobs before', async () => {
    const { take, answered } = progressAfter(3);
    await take(task(3));
    answered(CALLS);
    expect([await take(task(8)), await take(end(8))]).toEqual([true, true]);
  });

  test('a workflow task is treated like any other once the local activities have ended', async () => {
    const { asked, take, answered } = progressAfter();
    await take(task(3));
    answered(CALLS);
    expect(await take(end(3))).toBe(true);
    expect(await take(task(8))).toBe(true);
    expect(asked).toEqual([]);
  });
});
