import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noticeLongWait } from '../../../../src/workers/workflow-process/execution-proxy.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

const waits = vi.fn<() => void>();
beforeEach(() => waits.mockClear());

test('a task that waits long is noticed while it waits, once', async () => {
  let give: (answer: string) => void = () => undefined;
  const answer = noticeLongWait(new Promise<string>((resolve) => (give = resolve)), waits);
  vi.advanceTimersByTime(19_999);
  expect(waits).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(waits).toHaveBeenCalledOnce();
  give('done');
  expect(await answer).toBe('done');
});

test.each([
  ['taken', async () => await Promise.resolve()],
  ['refused', async () => await Promise.reject(new Error('no'))],
])('a task that is soon %s is not', async (_, soon) => {
  await noticeLongWait(soon(), waits).catch(() => undefined);
  vi.advanceTimersByTime(60_000);
  expect(waits).not.toHaveBeenCalled();
});
