import { afterEach, expect, test, vi } from 'vitest';
import { openJobLimit, recordBegin } from '../../../../src/api/graph-jobs/job-limit.ts';
import type { JobLimit } from '../../../../src/api/graph-jobs/job-limit.ts';

let limit: JobLimit;
afterEach(() => limit.close());

const untilAborted = async (): Promise<void> => {
  await vi.waitUntil(() => limit.signal.aborted, { timeout: 10_000, interval: 5 });
};

/** Uses processor time in this thread. */
function work(ms: number): void {
  const { user, system } = process.cpuUsage();
  const workedMs = (): number => {
    const used = process.cpuUsage();
    return (used.user - user + used.system - system) / 1_000;
  };
  while (workedMs() < ms);
}

test('a graph job that has used up its processor time is aborted', async () => {
  limit = openJobLimit(50);
  recordBegin(limit.begun);
  work(200);
  await untilAborted();
  expect(limit.isStarved()).toBe(false);
});

test('a graph job without processor time gets more time, and is finally aborted as starved', async () => {
  const openedAt = performance.now();
  limit = openJobLimit(500, 1_500);
  recordBegin(limit.begun);
  await untilAborted();
  expect(performance.now() - openedAt).toBeGreaterThan(1_400);
  expect(limit.isStarved()).toBe(true);
});

test('a graph job that no thread has begun is starved, whatever other jobs do', async () => {
  limit = openJobLimit(50, 300);
  work(60);
  await untilAborted();
  expect(limit.isStarved()).toBe(true);
});
