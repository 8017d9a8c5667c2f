import { afterEach, expect, test, vi } from 'vitest';
import { openJobLimit, tellBegun } from '../../../../src/api/graph-jobs/job-limit.ts';
import type { JobLimit } from '../../../../src/api/graph-jobs/job-limit.ts';

let limit: JobLimit;
afterEach(() => limit.close());

const untilAborted = async (): Promise<void> => {
  await vi.waitUntil(() => limit.signal.aborted, { timeout: 10_000, interval: 5 });
};

/** Has the processor work in this thread. */
function work(ms: number): void {
  const { user, system } = process.cpuUsage();
  const workedMs = (): number => {
    const used = process.cpuUsage();
    return (used.user - user + used.system - system) / 1_000;
  };
  while (workedMs() < ms);
}

test('a job that has worked for its time is ended', async () => {
  limit = openJobLimit(50);
  tellBegun(limit.begun);
  work(200);
  await untilAborted();
  expect(limit.isStarved()).toBe(false);
});

test('a job whose thread does not work is given more time, and is the victim of its machine in the end', async () => {
  const openedAt = performance.now();
  limit = openJobLimit(500, 1_500);
  tellBegun(limit.begun);
  await untilAborted();
  expect(performance.now() - openedAt).toBeGreaterThan(1_400);
  expect(limit.isStarved()).toBe(true);
});

test('so is a job that no thread has begun, whatever others work', async () => {
  limit = openJobLimit(50, 300);
  work(60);
  await untilAborted();
  expect(limit.isStarved()).toBe(true);
});
