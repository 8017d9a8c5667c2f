import { afterEach, expect, test, vi } from 'vitest';
import { takeTurn } from '../../../../src/api/schedules/take-turn.ts';
import type { TurnDeps } from '../../../../src/api/schedules/take-turn.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import type { Overlap, Schedule, Tick } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { turnDeps } from '../../../support/doubles/turn-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

/* The graph of the schedules is unknown, so each tick that a turn starts fails, and no run keeps others waiting. */

const store = await useMemoryStore();
afterEach(() => vi.useRealTimers());

const depsWith = (config?: ConfigInput): TurnDeps => turnDeps(store, config);

async function scheduleWith(id: string, overlap: Overlap, ticks: readonly Tick[]): Promise<Schedule> {
  const schedule = { ...aSchedule(id), overlap };
  await store.schedules.create(schedule, 10);
  await store.scheduleTicks.take(schedule, ticks);
  return schedule;
}

const ticksOf = (kind: Tick['kind'], count: number, day: number): readonly Tick[] =>
  Array.from({ length: count }, (_, second) => ({
    at: new Date(Date.UTC(2026, 0, day, 0, 0, second)).toISOString(),
    kind,
    runId: `${kind}-${second}`,
  }));

async function decidedOf(schedule: Schedule): Promise<readonly string[]> {
  const ticks = (await store.scheduleTicks.latest([schedule], 500)).get(schedule.id) ?? [];
  return ticks.filter(({ outcome }) => outcome !== 'pending').map(({ runId }) => runId);
}

test('a backlog of backfills hides no time of the schedule', async () => {
  const [time] = ticksOf('time', 1, 2);
  const schedule = await scheduleWith('backlog', 'allow', [...ticksOf('backfill', 150, 1), ...ticksOf('time', 1, 2)]);
  expect(await store.scheduleTicks.pending(schedule, 100)).toContainEqual(time);
  await takeTurn(depsWith(), schedule);
  expect(await decidedOf(schedule)).toContain('time-0');
});

test('a backfill that waits for a quota keeps no time of the schedule waiting', async () => {
  const schedule = await scheduleWith('quota', 'allow', [...ticksOf('backfill', 2, 1), ...ticksOf('time', 2, 2)]);
  await takeTurn(depsWith({ tenants: { acme: { runsPerMinute: 0 } } }), schedule);
  expect(await decidedOf(schedule)).toEqual(['time-1', 'time-0']);
});

test('a turn starts a handful of runs, and the next one comes at once', async () => {
  const schedule = await scheduleWith('handful', 'allow', ticksOf('time', 7, 1));
  expect(await takeTurn(depsWith(), schedule)).toBe(true);
  expect(await decidedOf(schedule)).toHaveLength(5);
  expect(await takeTurn(depsWith(), schedule)).toBe(true);
  expect(await decidedOf(schedule)).toHaveLength(7);
});

test('a turn begins nothing more after half of its lease', async () => {
  const schedule = await scheduleWith('slow', 'allow', ticksOf('time', 3, 1));
  vi.useFakeTimers({ toFake: ['Date'] });
  const deps = depsWith();
  const activeRuns = async (): Promise<readonly string[]> => {
    vi.setSystemTime(Date.now() + 16_000);
    return await Promise.resolve([]);
  };
  const slow = { ...store, scheduleTicks: { ...store.scheduleTicks, activeRuns } };
  await takeTurn({ ...deps, store: slow }, schedule);
  expect(await decidedOf(schedule)).toEqual(['time-1', 'time-0']);
});
