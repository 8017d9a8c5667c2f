import { expect, test } from 'vitest';
import { createStanding } from '../../../../src/workers/workflow-process/standing.ts';
import type { Standing } from '../../../../src/workers/workflow-process/standing.ts';

const task = (historyLength: number) => ({ historyLength, jobs: [{ fireTimer: { seq: 1 } }] });
const query = (queryId: string) => ({ historyLength: 0, jobs: [{ queryWorkflow: { queryId, queryType: 'status' } }] });
const DIRECT = query('legacy_query');

/** Temporal knows that some tasks were completed, by the events that have started them. */
function standing(...completed: readonly number[]) {
  const asked: number[] = [];
  const given = createStanding(async (startedEventId) => {
    asked.push(startedEventId);
    return completed.includes(startedEventId);
  });
  const mayTake: Standing['mayTake'] = async (activation) => await given.mayTake(activation);
  return { asked, mayTake };
}

test('tasks follow one another, and queries come with them, and Temporal is asked nothing', async () => {
  const { asked, mayTake } = standing();
  for (const activation of [task(3), query('1'), task(3), task(8)]) expect(await mayTake(activation)).toBe(true);
  expect(asked).toEqual([]);
});

test('after a query without a task the execution goes on if its last task was completed', async () => {
  const { asked, mayTake } = standing(8);
  for (const activation of [task(3), task(8), DIRECT, DIRECT, task(13), task(18)])
    expect(await mayTake(activation)).toBe(true);
  expect(asked).toEqual([8]);
});

test('and does not if that was not completed', async () => {
  const { mayTake } = standing(3);
  for (const activation of [task(3), task(7), DIRECT]) expect(await mayTake(activation)).toBe(true);
  expect(await mayTake(task(13))).toBe(false);
});

test('without an answer of Temporal nothing is taken', async () => {
  const given = createStanding(async () => {
    throw new Error('Temporal is away');
  });
  await given.mayTake(task(3));
  await given.mayTake(DIRECT);
  await expect(given.mayTake(task(8))).rejects.toThrow('Temporal is away');
});
