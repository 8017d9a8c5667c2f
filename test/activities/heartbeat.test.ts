import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heartbeat, withHeartbeat } from '../../src/activities/heartbeat.ts';
import { anActivity } from '../support/scripted-tool.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Runs work of so many milliseconds in an activity. @returns when its heart beat, since it began */
async function beatsDuring(workMs: number, work: () => Promise<void>): Promise<number[]> {
  const activity = anActivity();
  const began = Date.now();
  const beats: number[] = [];
  activity.on('heartbeat', () => beats.push(Date.now() - began));
  const done = activity.run(async () => await withHeartbeat(30_000, work)).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(workMs);
  await done;
  return beats;
}

const sleep = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

describe('withHeartbeat', () => {
  test('the heart beats at once and three times in each time-out', async () => {
    expect(await beatsDuring(35_000, async () => await sleep(35_000))).toEqual([0, 10_000, 20_000, 30_000]);
  });

  test.each([
    ['done', async () => undefined],
    ['failed', async () => await Promise.reject(new Error('no'))],
  ])('it stops when the work is %s', async (_how, work) => {
    expect(await beatsDuring(0, work)).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('heartbeat', () => {
  test('shows progress at once and with each beat after it', async () => {
    const activity = anActivity();
    const beats: unknown[] = [];
    activity.on('heartbeat', (details) => beats.push(details));
    const work = async (): Promise<void> => {
      await sleep(5_000);
      heartbeat({ done: 1 });
      await sleep(10_000);
    };
    const done = activity.run(async () => await withHeartbeat(30_000, work));
    await vi.advanceTimersByTimeAsync(15_000);
    await done;
    expect(beats).toEqual([undefined, { done: 1 }, { done: 1 }]);
  });
});
