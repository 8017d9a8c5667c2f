import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { backfill, TICKS_KEPT } from '../../../../src/api/schedules/trigger.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const absent = anAbsentEngine();

const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString();

/** Has a schedule of every hour that has taken times, and has forgotten what it does not keep. */
async function hourly(id: string, taken: number) {
  const schedule = aSchedule(id);
  await store.schedules.create(schedule, 10);
  const ticks = Array.from({ length: taken }, (_, at) => ({ at: hour(at), kind: 'time' as const, runId: ulid() }));
  await store.scheduleTicks.take(schedule, ticks);
  for (const tick of ticks.slice(0, 5)) await store.scheduleTicks.settle(schedule, tick, { outcome: 'started' });
  await store.scheduleTicks.forgetOld(TICKS_KEPT);
  const make = async (from: number, to: number) => {
    const times = Array.from({ length: to - from + 1 }, (_, place) => hour(from + place));
    const timesBetween = async () => await Promise.resolve(times);
    const engine = { ...absent, schedules: { ...absent.schedules, timesBetween } };
    return await backfill({ store, engine }, schedule, { from: hour(from), to: hour(to) });
  };
  const isTaken = async (at: number) => (await store.scheduleTicks.find(schedule, hour(at))) !== null;
  return { make, isTaken };
}

test('a time that a schedule has forgotten is not taken again', async () => {
  const { make, isTaken } = await hourly('forgetful', TICKS_KEPT + 5);
  await expect(make(4, 6)).rejects.toMatchObject({ code: 'INVALID_REQUEST', issues: [{ path: '/from' }] });
  expect([await isTaken(4), await isTaken(5)]).toEqual([false, true]);
  expect(await make(5, 6)).toEqual([hour(5), hour(6)]);
});

test('a schedule with all its fires accepts a backfill from before its first fire', async () => {
  const { make, isTaken } = await hourly('young', 10);
  await make(-3, -1);
  expect([await isTaken(-3), await isTaken(-1)]).toEqual([true, true]);
});
