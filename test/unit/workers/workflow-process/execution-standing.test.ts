import { describe, expect, test } from 'vitest';
import { createExecutionStanding } from '../../../../src/workers/workflow-process/execution-standing.ts';
import type { ExecutionStanding } from '../../../../src/workers/workflow-process/execution-standing.ts';

const task = (historyLength: number) => ({ historyLength, jobs: [{ fireTimer: { seq: 1 } }] });
const replayed = (historyLength: number) => ({ ...task(historyLength), isReplaying: true });
const query = (queryId: string) => ({ historyLength: 0, jobs: [{ queryWorkflow: { queryId, queryType: 'status' } }] });
const DIRECT = query('legacy_query');

/** Temporal knows that some tasks were completed, by the events that have started them. */
function standing(...completed: readonly number[]) {
  const asked: number[] = [];
  const given = createExecutionStanding(async (startedEventId) => {
    asked.push(startedEventId);
    return completed.includes(startedEventId);
  });
  const take: ExecutionStanding['mayTake'] = async (activation) => await given.mayTake(activation);
  return { asked, take, answered: (answer: Parameters<ExecutionStanding['answered']>[0]) => given.answered(answer) };
}

describe('a query without a workflow task', () => {
  test('is answered where a completed task has brought the execution', async () => {
    const { asked, take } = standing(8);
    for (const activation of [task(3), task(8), DIRECT, DIRECT, task(13)]) expect(await take(activation)).toBe(true);
    expect(asked).toEqual([8, 8]);
  });

  test('is not where core has led it beyond', async () => {
    const { take } = standing(3);
    for (const activation of [task(3), task(7)]) expect(await take(activation)).toBe(true);
    expect(await take(DIRECT)).toBe(false);
  });

  test('is answered after a replay, and Temporal is asked nothing', async () => {
    const { asked, take } = standing();
    for (const activation of [replayed(3), replayed(8), DIRECT]) expect(await take(activation)).toBe(true);
    expect(asked).toEqual([]);
  });

  test('fails without an answer of Temporal', async () => {
    const given = createExecutionStanding(async () => {
      throw new Error('Temporal is away');
    });
    await given.mayTake(task(3));
    await expect(given.mayTake(DIRECT)).rejects.toThrow('Temporal is away');
  });
});

test('of tasks, and of queries that come with them, Temporal is asked nothing', async () => {
  const { asked, take } = standing();
  for (const activation of [task(3), query('1'), task(3), task(8)]) expect(await take(activation)).toBe(true);
  expect(asked).toEqual([]);
});

describe('a task that comes while local calls are open', () => {
  const CALLS = { successful: { commands: [{ scheduleLocalActivity: { seq: 1 } }, { startTimer: { seq: 2 } }] } };
  const end = (historyLength: number) => ({
    historyLength,
    jobs: [{ resolveActivity: { seq: 1, isLocal: true } }],
  });

  test('is taken if it is their own, or that was completed', async () => {
    const { asked, take, answered } = standing(3);
    await take(task(3));
    answered(CALLS);
    expect(await take(task(3))).toBe(true);
    expect(asked).toEqual([]);
    expect(await take(task(8))).toBe(true);
    expect(asked).toEqual([3]);
  });

  test('is not taken if core makes the calls for a query', async () => {
    const { take, answered } = standing();
    await take(task(7));
    answered(CALLS);
    expect(await take(task(13))).toBe(false);
  });

  test('is not taken if it is their own, renewed: a replay would see another time and length', async () => {
    const { asked, take, answered } = standing(3);
    await take(task(3));
    answered(CALLS);
    expect(await take(end(6))).toBe(false);
    expect(asked).toEqual([]);
  });

  test('is taken after a replay in which core has made them', async () => {
    const { take, answered } = standing();
    await take(replayed(3));
    answered(CALLS);
    expect(await take(end(8))).toBe(true);
  });

  test('is taken with their ends when it has brought something else before', async () => {
    const { take, answered } = standing(3);
    await take(task(3));
    answered(CALLS);
    expect([await take(task(8)), await take(end(8))]).toEqual([true, true]);
  });

  test('is like any other once they have ended', async () => {
    const { asked, take, answered } = standing();
    await take(task(3));
    answered(CALLS);
    expect(await take(end(3))).toBe(true);
    expect(await take(task(8))).toBe(true);
    expect(asked).toEqual([]);
  });
});
