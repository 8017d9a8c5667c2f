import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScheduleReference } from '../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../support/builders/schedules.ts';
import { openMemoryStore } from '../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../support/servers/memory-database.ts';

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(async () => await store.close());

const timeAt = (hour: number): string => `2026-01-01T0${hour}:00:00.000Z`;
const fireOf = ({ tenantId, id: scheduleId }: ScheduleReference, hour: number) => ({
  tenantId,
  scheduleId,
  at: timeAt(hour),
  workflowId: `fire:${scheduleId}-${hour}`,
});
const inAMinute = (): string => new Date(Date.now() + 60_000).toISOString();

test('a schedule is read as it was written, and belongs to its tenant', async () => {
  const schedule = aSchedule('one');
  await store.schedules.create(schedule, 10);
  expect(await store.schedules.find(schedule)).toEqual(schedule);
  expect(await store.schedules.find({ tenantId: 'other', id: 'one' })).toBeNull();
  expect((await store.schedules.list('other', { limit: 10 })).items).toEqual([]);
});

test('only one of two changes of the same revision is made', async () => {
  await store.schedules.create(aSchedule('changed'), 10);
  const second = aSchedule('changed', { revision: 2 });
  expect(await Promise.all([store.schedules.replace(second), store.schedules.replace(second)])).toContain(false);
  expect(await store.schedules.find(second)).toEqual(second);
  expect(await store.schedules.markSynced(second, 1)).toBe(false);
  expect(await store.schedules.markSynced(second, 2)).toBe(true);
});

test('a schedule is unsynced until Temporal has it, and a deleted one until it is forgotten', async () => {
  const schedule = aSchedule('unsynced');
  const isUnsynced = async () =>
    (await store.schedules.unsynced('2027-01-01T00:00:00Z', 100)).find(({ id }) => id === 'unsynced');
  await store.schedules.create(schedule, 10);
  expect(await isUnsynced()).toMatchObject({ isDeleted: false });
  await store.schedules.markSynced(schedule, 1);
  expect(await isUnsynced()).toBeUndefined();
  await store.schedules.remove(schedule);
  expect(await store.schedules.find(schedule)).toBeNull();
  expect(await store.schedules.unsynced('2999-01-01T00:00:00Z', 100)).toContainEqual(
    expect.objectContaining({ id: 'unsynced', isDeleted: true }),
  );
  await store.schedules.forget(schedule);
  expect(await store.schedules.unsynced('2999-01-01T00:00:00Z', 100)).not.toContainEqual(
    expect.objectContaining({ id: 'unsynced' }),
  );
});

test('a time fires once, with the run of its first attempt, and a deleted schedule does not fire', async () => {
  const schedule = aSchedule('firing');
  await store.schedules.create(schedule, 10);
  const { scheduleFires } = store;
  const fire = fireOf(schedule, 1);
  expect([await scheduleFires.open(fire, 'first'), await scheduleFires.open(fire, 'second')]).toEqual([true, true]);
  await scheduleFires.decide(fire, { outcome: 'started' });
  expect(await scheduleFires.open(fire, 'third')).toBe(true);
  expect(await scheduleFires.find(fire)).toMatchObject({ kind: 'time', runId: 'first', outcome: 'started' });
  await scheduleFires.close(fire);
  expect(await scheduleFires.open(fire, 'fourth')).toBe(false);
  await store.schedules.remove(schedule);
  expect(await scheduleFires.open(fireOf(schedule, 2), 'late')).toBe(false);
});

test('one process at a time handles a fire, and a result is not changed', async () => {
  const schedule = aSchedule('claimed');
  await store.schedules.create(schedule, 10);
  const { scheduleFires } = store;
  const fire = fireOf(schedule, 1);
  await scheduleFires.open(fire, 'run-1');
  const claimed = async () =>
    (await scheduleFires.claim(100, inAMinute())).filter(({ scheduleId }) => scheduleId === 'claimed');
  const [first, second] = await Promise.all([claimed(), claimed()]);
  expect([...first, ...second]).toEqual([{ ...fire, kind: 'time', runId: 'run-1', outcome: 'pending', isOver: false }]);
  const result = { outcome: 'skipped', code: 'QUOTA_REACHED', message: 'full' } as const;
  await scheduleFires.decide(fire, result);
  await scheduleFires.decide(fire, { outcome: 'started' });
  expect(await claimed()).toMatchObject([{ ...fire, outcome: 'skipped', isOver: true }]);
  await scheduleFires.close(fire);
  await scheduleFires.postpone(fire, timeAt(1));
  expect(await claimed()).toEqual([]);
  const [last] = (await scheduleFires.latest([schedule], 5)).get('claimed') ?? [];
  const rest = { runId: 'run-1', status: null, isOpen: false };
  expect(last).toEqual({ at: timeAt(1), kind: 'time', ...result, ...rest });
});

test('many fires of one tenant do not delay those of others', async () => {
  const { schedules, scheduleFires } = store;
  for (const id of ['many-1', 'many-2', 'many-3', 'many-4']) {
    const schedule = aSchedule(id, { tenantId: 'many' });
    await schedules.create(schedule, 10);
    await scheduleFires.open(fireOf(schedule, 1), `run-${id}`);
  }
  const single = aSchedule('single', { tenantId: 'single' });
  await schedules.create(single, 10);
  await scheduleFires.open(fireOf(single, 2), 'run-single');
  const ids = (await scheduleFires.claim(2, inAMinute())).map(({ tenantId }) => tenantId);
  expect(ids.toSorted()).toEqual(['many', 'single']);
});

test('only the last decided fires of a schedule are kept', async () => {
  const schedule = aSchedule('old');
  await store.schedules.create(schedule, 10);
  const { scheduleFires } = store;
  const fires = [1, 2, 3, 4, 5].map((hour) => fireOf(schedule, hour));
  for (const [index, fire] of fires.entries()) {
    await scheduleFires.open(fire, `run-${index + 1}`);
    if (index > 0) await scheduleFires.decide(fire, { outcome: 'started' });
    if (index > 1) await scheduleFires.close(fire);
  }
  await scheduleFires.forgetOld(1);
  const left = (await scheduleFires.latest([schedule], 5)).get('old')?.map(({ runId }) => runId);
  expect(left).toEqual(['run-5', 'run-2', 'run-1']);
});
