import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { backfill, FIRES_KEPT } from '../../../../src/api/schedules/trigger.ts';
import type { TimedSchedules } from '../../../../src/api/temporal/timed-schedules.ts';
import type { FireResult } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const absent = anAbsentEngine();

const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString();

/** Creates an hourly schedule with a number of fires, of which only those that are kept remain. */
async function hourly(id: string, fired: number) {
  const schedule = aSchedule(id);
  await store.schedules.create(schedule, 10);
  const fires = Array.from({ length: fired }, (_, at) => ({ at: hour(at), kind: 'trigger' as const, runId: ulid() }));
  await store.scheduleFires.request(schedule, fires);
  const decide = async (at: number, result: FireResult) =>
    await store.scheduleFires.decide({ tenantId: 'acme', scheduleId: id, at: hour(at) }, result);
  for (const at of [0, 1, 2, 3, 4]) await decide(at, { outcome: 'started' });
  await store.scheduleFires.forgetOld(FIRES_KEPT);
  const sent: unknown[] = [];
  const make = async (from: number, to: number) => {
    const times = Array.from({ length: to - from + 1 }, (_, place) => hour(from + place));
    const timesBetween = async () => await Promise.resolve(times);
    const backfillInTemporal: TimedSchedules['backfill'] = async (_, wanted) => {
      sent.push(...wanted);
      return await Promise.resolve(true);
    };
    const engine = { ...absent, schedules: { ...absent.schedules, timesBetween, backfill: backfillInTemporal } };
    return await backfill({ store, engine }, schedule, { from: hour(from), to: hour(to) });
  };
  const find = async (at: number) => await store.scheduleFires.find({ tenantId: 'acme', scheduleId: id, at: hour(at) });
  const isTaken = async (at: number) => (await find(at)) !== null;
  return { make, isTaken, sent, decide, find };
}

test('a backfill does not repeat times that the schedule no longer has', async () => {
  const { make, isTaken } = await hourly('forgetful', FIRES_KEPT + 5);
  await expect(make(4, 6)).rejects.toMatchObject({ code: 'INVALID_REQUEST', issues: [{ path: '/from' }] });
  expect([await isTaken(4), await isTaken(5)]).toEqual([false, true]);
  expect(await make(5, 6)).toEqual([hour(5), hour(6)]);
});

test('a schedule with all its fires accepts a backfill from before its first fire', async () => {
  const { make, isTaken } = await hourly('young', 10);
  await make(-3, -1);
  expect([await isTaken(-3), await isTaken(-1)]).toEqual([true, true]);
});

test('a backfill repeats recorded times only if they have started no run', async () => {
  const { make, sent, decide, find } = await hourly('refused', 7);
  await decide(5, { outcome: 'skipped', code: 'QUOTA_REACHED' });
  await decide(6, { outcome: 'failed', code: 'UNKNOWN_GRAPH' });
  const { runId } = (await find(5)) ?? {};
  expect(await make(4, 7)).toEqual([4, 5, 6, 7].map(hour));
  expect(sent).toEqual([5, 6, 7].map(hour));
  expect(await find(5)).toMatchObject({ kind: 'backfill', outcome: 'pending', code: null, runId });
  expect(await find(4)).toMatchObject({ outcome: 'started' });
});

test('a backfill without times sends no request to Temporal', async () => {
  const { make, sent } = await hourly('empty', 5);
  expect([await make(3, 2), sent]).toEqual([[], []]);
});
