import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { COUNT_EVERY_MS, createLiveMeasure } from '../../../../src/telemetry/metrics/live-measure.ts';
import { readMetrics } from '../../../../src/telemetry/metrics/meter.ts';

afterEach(() => void vi.restoreAllMocks());

const counts = {
  runs: { running: 7 },
  pendingApprovals: 0,
  oldestApprovalSeconds: 0,
  unknownOutcomes: 0,
  pendingStarts: 0,
  oldestStartSeconds: 0,
};

test('gauges keep their values when counting fails, and the failure is logged', async () => {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line) => void lines.push(line) });
  const countLive = vi.fn<() => Promise<typeof counts>>(async () => counts);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const count = createLiveMeasure({ store: { countLive }, logger });
  await count();
  countLive.mockRejectedValue(new Error('away'));
  clock.mockReturnValue(COUNT_EVERY_MS);
  await count();
  expect(countLive).toHaveBeenCalledTimes(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('they stay as they were counted last');
  expect(await readMetrics()).toContain('holdfast_runs_active{status="running"} 7');
});
