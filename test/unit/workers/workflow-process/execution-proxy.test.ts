import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reportLongWait } from '../../../../src/workers/workflow-process/execution-proxy.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

const waits = vi.fn<() => void>();
beforeEach(() => waits.mockClear());

test('a workflow task that waits long for a process is reported once while it waits', async () => {
  let give: (answer: string) => void = () => undefined;
  const answer = reportLongWait(new Promise<string>((resolve) => (give = resolve)), waits);
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
])('a workflow task that is soon %s is not reported as waiting', async (_, soon) => {
  await reportLongWait(soon(), waits).catch(() => undefined);
  vi.advanceTimersByTime(60_000);
  expect(waits).not.toHaveBeenCalled();
});
