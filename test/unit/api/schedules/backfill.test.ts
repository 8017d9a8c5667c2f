import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { backfill, FIRES_KEPT } from '../../../../src/api/schedules/trigger.ts';
import type { FireResult } from '../../../../src/store/schedules/schedule.ts';
import { createSchedule } from '../../../support/builders/fires.ts';
import { aFakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString();

/** Creates an hourly schedule that has fired some times, and has forgotten those that it does not keep. */
async function hourly(id: string, fired: number) {
  const schedule = await createSchedule(store, id);
  const fires = Array.from({ length: fired }, (_, at) => ({ at: hour(at), kind: 'time' as const, runId: ulid() }));
  await store.scheduleFires.skip(schedule, fires, { outcome: 'started' });
  await store.scheduleFires.forgetOld(FIRES_KEPT, '');
  const temporal = aFakeTemporal();
  const make = async (from: number, to: number) => {
    temporal.times = Array.from({ length: to - from + 1 }, (_, index) => hour(from + index));
    const deps = { ...fireDeps(store), engine: temporal.engine };
    return await backfill(deps, schedule, { from: hour(from), to: hour(to) });
  };
  const isTaken = async (at: number) =>
    (await store.scheduleFires.find({ tenantId: 'acme', id, at: hour(at) })) !== null;
  return { schedule, make, isTaken, temporal };
}

test('a schedule’s time that was deleted from the store is not fired again', async () => {
  const { make, isTaken } = await hourly('forgetful', FIRES_KEPT + 5);
  await expect(make(4, 6)).rejects.toMatchObject({ code: 'INVALID_REQUEST', issues: [{ path: '/from' }] });
  expect([await isTaken(4), await isTaken(5)]).toEqual([false, true]);
  expect(await make(5, 6)).toEqual([hour(5), hour(6)]);
});

test('a schedule with all its fires stored accepts a backfill from before its first fire', async () => {
  const { make, isTaken } = await hourly('young', 10);
  await make(-3, -1);
  expect([await isTaken(-3), await isTaken(-1)]).toEqual([true, true]);
});

test('a backfill of a schedule requests from Temporal once the times that are not recorded', async () => {
  const { make, temporal } = await hourly('half', 2);
  expect(await make(0, 3)).toEqual([0, 1, 2, 3].map(hour));
  await make(0, 3);
  expect(temporal.backfilled).toEqual([2, 3].map(hour));
});

test.each<FireResult>([
  { outcome: 'skipped', code: 'OVERLAP', message: 'busy' },
  { outcome: 'failed', code: 'UNKNOWN_GRAPH', message: 'gone' },
])('a backfill takes a time again that was $outcome, and keeps the id of its run', async (result) => {
  const { schedule, make, temporal } = await hourly(`again-${result.outcome}`, 0);
  await store.scheduleFires.skip(schedule, [{ at: hour(1), kind: 'time', runId: 'first' }], result);
  await make(1, 1);
  expect(temporal.backfilled).toEqual([hour(1)]);
  const taken = { kind: 'backfill', outcome: 'pending', code: null, runId: 'first' };
  expect(await store.scheduleFires.find({ ...schedule, at: hour(1) })).toMatchObject(taken);
});

test('a backfill of a schedule that does not reach Temporal is recorded, and sent later', async () => {
  const { schedule, make, temporal } = await hourly('away', 0);
  temporal.hasSchedules = true;
  const engine = { ...temporal.engine.schedules };
  temporal.times = [hour(1)];
  const failing = { ...engine, backfill: async () => await Promise.reject(new Error('lost')) };
  const deps = { ...fireDeps(store), engine: { ...temporal.engine, schedules: failing } };
  expect(await backfill(deps, schedule, { from: hour(1), to: hour(1) })).toEqual([hour(1)]);
  expect(await store.scheduleFires.find({ ...schedule, at: hour(1) })).toMatchObject({ outcome: 'pending' });
  expect([await make(1, 1), temporal.backfilled]).toEqual([[hour(1)], []]);
});
