import { expect, test, vi } from 'vitest';
import { stopOnSignal } from '../../../src/dev/start.ts';

test('a termination signal repeated within a second stops the process in order, and a later one exits at once', () => {
  const [begin, end] = [vi.fn<() => void>(), vi.fn<() => void>()];
  let now = 5_000;
  const onSignal = stopOnSignal({ begin, end, now: () => now });
  onSignal();
  now += 900;
  onSignal();
  expect([begin.mock.calls.length, end.mock.calls.length]).toEqual([1, 0]);
  now += 200;
  onSignal();
  expect([begin.mock.calls.length, end.mock.calls.length]).toEqual([1, 1]);
});
