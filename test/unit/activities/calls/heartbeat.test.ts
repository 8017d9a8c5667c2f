import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reportHeartbeat, withHeartbeat } from '../../../../src/activities/calls/time-limit.ts';
import { anActivity } from '../../../support/doubles/scripted-tool.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Executes work for the given time in an activity. @returns the times of its heartbeats, since its start */
async function beatsDuring(
  workMs: number,
  work: () => Promise<void>,
  { timeoutMs = 30_000, waitedMs = 0 } = {},
): Promise<number[]> {
  const activity = anActivity({ currentAttemptScheduledTimestampMs: Date.now() - waitedMs });
  const began = Date.now();
  const beats: number[] = [];
  activity.on('heartbeat', () => beats.push(Date.now() - began));
  const done = activity.run(async () => await withHeartbeat(timeoutMs, work)).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(workMs);
  await done;
  return beats;
}

const sleep = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

describe('withHeartbeat', () => {
  test.each([
    [6_000, [2_000, 4_000, 6_000, 8_000]],
    [60_000, [5_000]],
  ])('three heartbeats are sent in a time-out of %i ms, and at least one every 5 seconds', async (timeoutMs, beats) => {
    expect(await beatsDuring(9_000, async () => await sleep(9_000), { timeoutMs })).toEqual(beats);
  });

  test.each([
    [4_999, []],
    [5_000, [0]],
    [3_600_000, [0]],
  ])(
    'an attempt that was scheduled %i ms ago sends a heartbeat at once if it may be superseded',
    async (waitedMs, beats) => {
      expect(await beatsDuring(1_000, async () => await sleep(1_000), { waitedMs })).toEqual(beats);
    },
  );

  test.each([
    ['done', async () => undefined],
    ['failed', async () => await Promise.reject(new Error('no'))],
  ])('it stops when the work is %s', async (_how, work) => {
    expect(await beatsDuring(0, work)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('heartbeat', () => {
  test('sends progress at once and with each later heartbeat', async () => {
    const activity = anActivity({ currentAttemptScheduledTimestampMs: Date.now() });
    const beats: unknown[] = [];
    activity.on('heartbeat', (details) => beats.push(details));
    const work = async (): Promise<void> => {
      await sleep(6_000);
      reportHeartbeat({ done: 1 });
      await sleep(6_000);
    };
    const done = activity.run(async () => await withHeartbeat(30_000, work));
    await vi.advanceTimersByTimeAsync(12_000);
    await done;
    expect(beats).toEqual([undefined, { done: 1 }, { done: 1 }]);
  });

  test('repeats the progress of earlier attempts until there is new progress', async () => {
    const activity = anActivity({ currentAttemptScheduledTimestampMs: Date.now(), heartbeatDetails: { done: 7 } });
    const beats: unknown[] = [];
    activity.on('heartbeat', (details) => beats.push(details));
    const done = activity.run(async () => await withHeartbeat(30_000, async () => await sleep(6_000)));
    await vi.advanceTimersByTimeAsync(6_000);
    await done;
    expect(beats).toEqual([{ done: 7 }]);
  });
});
