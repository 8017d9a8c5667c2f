import { afterEach, describe, expect, test, vi } from 'vitest';
import { takeTurn } from '../../../../src/api/schedules/take-turn.ts';
import type { TurnDeps } from '../../../../src/api/schedules/take-turn.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import type { Overlap, Schedule, TakenTick, Tick } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { aNewRun } from '../../../support/builders/store-builders.ts';
import { turnDeps } from '../../../support/doubles/turn-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

/* The graph of the schedules is unknown, so each tick that a turn starts fails, and no run keeps others waiting. */

const store = await useMemoryStore();
afterEach(() => vi.useRealTimers());

const depsWith = (config?: ConfigInput): TurnDeps => turnDeps(store, config);
const CLOSED = { tenants: { acme: { runsPerMinute: 0 } } };

async function scheduleWith(
  id: string,
  over: Partial<Pick<Schedule, 'overlap' | 'paused' | 'roles'>>,
  ticks: readonly Tick[],
): Promise<Schedule> {
  const schedule = { ...aSchedule(id), ...over };
  await store.schedules.create(schedule, 100);
  await store.scheduleTicks.take(schedule, ticks);
  return schedule;
}

const ticksOf = (kind: Tick['kind'], count: number, day: number): readonly Tick[] =>
  Array.from({ length: count }, (_, second) => ({
    at: new Date(Date.UTC(2026, 0, day, 0, 0, second)).toISOString(),
    kind,
    runId: `${kind}-${second}`,
  }));

const readTicks = async (schedule: Schedule): Promise<readonly TakenTick[]> =>
  (await store.scheduleTicks.latest([schedule], 500)).get(schedule.id) ?? [];

const decidedOf = async (schedule: Schedule): Promise<readonly string[]> =>
  (await readTicks(schedule)).filter(({ outcome }) => outcome !== 'pending').map(({ runId }) => runId);

const codesOf = async (schedule: Schedule): Promise<Readonly<Record<string, string | null>>> =>
  Object.fromEntries((await readTicks(schedule)).map(({ runId, outcome, code }) => [runId, code ?? outcome]));

/** A store in which a schedule has a run that is not over; `asked` has the ids that it was asked for. */
function busyStore() {
  const asked: string[] = [];
  const find = async (id: string) => {
    asked.push(id);
    return await store.runs.find(id);
  };
  const activeRuns = async () => await Promise.resolve(['active']);
  const busy = { ...store, scheduleTicks: { ...store.scheduleTicks, activeRuns }, runs: { ...store.runs, find } };
  return { busy, asked };
}

test('a backlog of backfills hides no time of the schedule', async () => {
  const [time] = ticksOf('time', 1, 2);
  const schedule = await scheduleWith('backlog', { overlap: 'allow' }, [
    ...ticksOf('backfill', 150, 1),
    ...ticksOf('time', 1, 2),
  ]);
  expect(await store.scheduleTicks.pending(schedule, 100)).toContainEqual(time);
  await takeTurn(depsWith(), schedule);
  expect(await decidedOf(schedule)).toContain('time-0');
});

test('a backfill that waits for a quota keeps no time of the schedule waiting', async () => {
  const schedule = await scheduleWith('quota', { overlap: 'allow' }, [
    ...ticksOf('backfill', 2, 1),
    ...ticksOf('time', 2, 2),
  ]);
  await takeTurn(depsWith(CLOSED), schedule);
  expect(await decidedOf(schedule)).toEqual(['time-1', 'time-0']);
});

test('a turn starts a handful of runs, and the next one comes at once', async () => {
  const schedule = await scheduleWith('handful', { overlap: 'allow' }, ticksOf('time', 7, 1));
  expect(await takeTurn(depsWith(), schedule)).toBe(true);
  expect(await decidedOf(schedule)).toHaveLength(5);
  expect(await takeTurn(depsWith(), schedule)).toBe(true);
  expect(await decidedOf(schedule)).toHaveLength(7);
});

test('a turn begins nothing more after half of its lease', async () => {
  const schedule = await scheduleWith('slow', { overlap: 'allow' }, ticksOf('time', 3, 1));
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

describe('a trigger that waits for a quota', () => {
  test.each<Overlap>(['skip', 'buffer', 'allow', 'cancelOther'])('keeps no time of %s waiting', async (overlap) => {
    const ticks = [...ticksOf('trigger', 1, 1), ...ticksOf('time', 2, 2)];
    const schedule = await scheduleWith(`closed-${overlap}`, { overlap }, ticks);
    expect(await takeTurn(depsWith(CLOSED), schedule)).toBe(true);
    expect(await codesOf(schedule)).toEqual({
      'trigger-0': 'pending',
      'time-0': 'QUOTA_REACHED',
      'time-1': 'QUOTA_REACHED',
    });
  });

  test('hides no time, however many there are', async () => {
    const ticks = [...ticksOf('trigger', 150, 1), ...ticksOf('time', 1, 2)];
    const schedule = await scheduleWith('crowd', { overlap: 'allow' }, ticks);
    await takeTurn(depsWith(CLOSED), schedule);
    expect(await decidedOf(schedule)).toEqual(['time-0']);
  });

  test('cancels no run before it can start its own', async () => {
    const schedule = await scheduleWith('patient', { overlap: 'cancelOther' }, ticksOf('trigger', 1, 1));
    const { busy, asked } = busyStore();
    await takeTurn({ ...depsWith(CLOSED), store: busy }, schedule);
    expect([await codesOf(schedule), asked.includes('active')]).toEqual([{ 'trigger-0': 'pending' }, false]);
  });

  test('gives way by the rules of overlap all the same', async () => {
    const schedule = await scheduleWith('busy', { overlap: 'skip' }, ticksOf('trigger', 1, 1));
    await takeTurn({ ...depsWith(CLOSED), store: busyStore().busy }, schedule);
    expect(await codesOf(schedule)).toEqual({ 'trigger-0': 'OVERLAP' });
  });
});

describe('a paused schedule', () => {
  test.each<Overlap>(['skip', 'buffer', 'allow', 'cancelOther'])(
    'of %s starts what people ask for',
    async (overlap) => {
      const ticks = [...ticksOf('backfill', 1, 1), ...ticksOf('trigger', 1, 2), ...ticksOf('time', 2, 3)];
      const schedule = await scheduleWith(`paused-${overlap}`, { overlap, paused: true }, ticks);
      await takeTurn(depsWith(), schedule);
      expect(await codesOf(schedule)).toEqual({
        'backfill-0': 'UNKNOWN_GRAPH',
        'trigger-0': 'UNKNOWN_GRAPH',
        'time-0': 'PAUSED',
        'time-1': 'PAUSED',
      });
    },
  );

  test('has started the run of a time that was accepted before', async () => {
    await store.runs.create(aNewRun({ id: 'accepted' }));
    const ticks = [{ at: '2026-01-01T00:00:00.000Z', kind: 'time', runId: 'accepted' }] as const;
    const schedule = await scheduleWith('paused-late', { paused: true }, ticks);
    await takeTurn(depsWith(), schedule);
    expect(await codesOf(schedule)).toEqual({ accepted: 'started' });
  });
});

test('a schedule of somebody who may cancel no runs any more cancels none', async () => {
  const ticks = ticksOf('time', 1, 1);
  const schedule = await scheduleWith('demoted', { overlap: 'cancelOther', roles: ['starter'] }, ticks);
  const { busy, asked } = busyStore();
  await takeTurn({ ...depsWith({ roles: { starter: ['run:start'] } }), store: busy }, schedule);
  expect([await codesOf(schedule), asked.includes('active')]).toEqual([{ 'time-0': 'FORBIDDEN' }, false]);
});
