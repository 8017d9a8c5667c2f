import { afterAll, beforeAll, expect, test } from 'vitest';
import { aSchedule } from '../../support/builders/schedules.ts';
import { openMemoryStore } from '../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../support/servers/memory-database.ts';

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(async () => await store.close());

const tickAt = (hour: number) =>
  ({ at: `2026-01-01T0${hour}:00:00.000Z`, kind: 'time', runId: `run-${hour}` }) as const;

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
  expect(await store.schedules.markTold(second, 1)).toBe(false);
  expect(await store.schedules.markTold(second, 2)).toBe(true);
});

test('what Temporal does not have is found until it is told, and until a deleted one is forgotten', async () => {
  const schedule = aSchedule('untold');
  const isUntold = async () =>
    (await store.schedules.untold('2027-01-01T00:00:00Z', 100)).find(({ id }) => id === 'untold');
  await store.schedules.create(schedule, 10);
  expect(await isUntold()).toMatchObject({ isDeleted: false });
  await store.schedules.markTold(schedule, 1);
  expect(await isUntold()).toBeUndefined();
  await store.schedules.remove(schedule);
  expect(await store.schedules.find(schedule)).toBeNull();
  expect(await store.schedules.untold('2999-01-01T00:00:00Z', 100)).toContainEqual(
    expect.objectContaining({ id: 'untold', isDeleted: true }),
  );
  await store.schedules.forget(schedule);
  expect(await store.schedules.untold('2999-01-01T00:00:00Z', 100)).not.toContainEqual(
    expect.objectContaining({ id: 'untold' }),
  );
});

test('a time is taken once, and none of a deleted schedule', async () => {
  const schedule = aSchedule('ticking');
  await store.schedules.create(schedule, 10);
  const { scheduleTicks } = store;
  await scheduleTicks.take(schedule, [tickAt(1), tickAt(2)]);
  await scheduleTicks.take(schedule, [{ ...tickAt(1), runId: 'another' }]);
  expect(await scheduleTicks.pending(schedule, 10)).toEqual([tickAt(1), tickAt(2)]);
  await store.schedules.remove(schedule);
  await scheduleTicks.take(schedule, [tickAt(3)]);
  expect(await scheduleTicks.pending(schedule, 10)).toHaveLength(2);
});

test('one process at a time decides about a schedule', async () => {
  const schedule = aSchedule('leased');
  await store.schedules.create(schedule, 10);
  const { scheduleTicks } = store;
  await scheduleTicks.take(schedule, [tickAt(1)]);
  const isDue = async () => (await scheduleTicks.due({ all: 100, ofTenant: 100 })).some(({ id }) => id === 'leased');
  expect(await isDue()).toBe(true);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect([await scheduleTicks.claim(schedule, later), await scheduleTicks.claim(schedule, later)]).toEqual([
    true,
    false,
  ]);
  expect(await isDue()).toBe(false);
  await scheduleTicks.settle(schedule, tickAt(1), { outcome: 'skipped', code: 'OVERLAP', message: 'busy' });
  await scheduleTicks.release(schedule, { claimedUntil: later, until: new Date(0).toISOString() });
  expect(await isDue()).toBe(false);
  const [last] = (await scheduleTicks.latest([schedule], 5)).get('leased') ?? [];
  expect(last).toEqual({ ...tickAt(1), outcome: 'skipped', code: 'OVERLAP', message: 'busy', status: null });
});

test('many schedules of one tenant leave turns to those of others', async () => {
  const { schedules, scheduleTicks } = store;
  for (const id of ['many-1', 'many-2', 'many-3', 'many-4']) {
    const schedule = aSchedule(id, { tenantId: 'many' });
    await schedules.create(schedule, 10);
    await scheduleTicks.take(schedule, [tickAt(1)]);
  }
  const single = aSchedule('single', { tenantId: 'single' });
  await schedules.create(single, 10);
  await scheduleTicks.take(single, [tickAt(1)]);
  const past = new Date(Date.now() - 1_000).toISOString();
  await scheduleTicks.claim(single, past);

  const due = await scheduleTicks.due({ all: 100, ofTenant: 3 });

  const ids = due.map(({ id }) => id);
  expect(ids.filter((id) => id.startsWith('many'))).toEqual(['many-1', 'many-2', 'many-3']);
  expect(ids.indexOf('single')).toBeLessThan(ids.indexOf('many-2'));
});

test('a process whose claim is over neither ends the claim of the next one nor settles a tick again', async () => {
  const schedule = aSchedule('fenced');
  await store.schedules.create(schedule, 10);
  const { scheduleTicks } = store;
  await scheduleTicks.take(schedule, [tickAt(1)]);
  const past = new Date(Date.now() - 1_000).toISOString();
  const later = new Date(Date.now() + 60_000).toISOString();
  expect([await scheduleTicks.claim(schedule, past), await scheduleTicks.claim(schedule, later)]).toEqual([true, true]);
  await scheduleTicks.settle(schedule, tickAt(1), { outcome: 'started' });

  await scheduleTicks.settle(schedule, tickAt(1), { outcome: 'skipped', code: 'OVERLAP', message: 'busy' });
  await scheduleTicks.release(schedule, { claimedUntil: past, until: past });

  expect(await scheduleTicks.find(schedule, tickAt(1).at)).toMatchObject({ outcome: 'started', code: null });
  expect(await scheduleTicks.claim(schedule, later)).toBe(false);
});

test('a schedule forgets all but its last settled times', async () => {
  const schedule = aSchedule('old');
  await store.schedules.create(schedule, 10);
  const { scheduleTicks } = store;
  await scheduleTicks.take(schedule, [1, 2, 3, 4].map(tickAt));
  for (const hour of [2, 3, 4]) await scheduleTicks.settle(schedule, tickAt(hour), { outcome: 'started' });
  await scheduleTicks.forgetOld(1);
  const left = (await scheduleTicks.latest([schedule], 5)).get('old')?.map(({ runId }) => runId);
  expect(left).toEqual(['run-4', 'run-1']);
});
