import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abortAfter } from '../../../../src/cli/runs/run.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([1, DAY_MS, 24.9 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS, 36_500 * DAY_MS])(
  'an abort signal with a time limit of %i ms is aborted after that time, and not before',
  async (ms) => {
    const signal = abortAfter(ms);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  },
);

test('an abort signal with a time limit of 0 ms is aborted at once', () => {
  expect(abortAfter(0).aborted).toBe(true);
});
