import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeatPeriodically } from '../../../../src/api/sweeper/sweeper.ts';
import { createLogger } from '../../../../src/process/logger.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const logger = createLogger('silent');
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Starts periodic work that only counts. */
function begin(everyMs: number) {
  const run = vi.fn<() => Promise<void>>(async () => undefined);
  return { run, stop: repeatPeriodically({ name: 'count', everyMs, run }, logger) };
}

test('hourly work first runs within five minutes, but not in the first one, and then hourly', async () => {
  const { run, stop } = begin(HOUR_MS);
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS + 1);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(run).toHaveBeenCalledTimes(3);
  await stop();
});

test('processes that start together run hourly work at different times', async () => {
  const all = Array.from({ length: 20 }, () => begin(HOUR_MS));
  await vi.advanceTimersByTimeAsync(2.5 * MINUTE_MS);
  const begun = all.filter(({ run }) => run.mock.calls.length === 1).length;
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThan(20);
  await Promise.all(all.map(async ({ stop }) => await stop()));
});

test('frequent work first runs after its interval', async () => {
  const { run, stop } = begin(2_000);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(4_001);
  expect(run).toHaveBeenCalledTimes(3);
  await stop();
});

test.each([10, 2 * MINUTE_MS])('work that is stopped after %i ms does not run again', async (afterMs) => {
  const { run, stop } = begin(MINUTE_MS);
  await vi.advanceTimersByTimeAsync(afterMs);
  await stop();
  run.mockClear();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(run).not.toHaveBeenCalled();
});

test('failed work pauses', async () => {
  const run = vi.fn<() => Promise<void>>(async () => await Promise.reject(new Error('away')));
  const stop = repeatPeriodically({ name: 'fail', everyMs: 500, run }, logger);
  await vi.advanceTimersByTimeAsync(3_400);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(500);
  expect(run).toHaveBeenCalledTimes(2);
  await stop();
});
