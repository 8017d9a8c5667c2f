import { afterAll, beforeAll, expect, test } from 'vitest';
import { aSchedule } from '../../support/builders/schedules.ts';
import { openMemoryStore } from '../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../support/servers/memory-database.ts';

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(async () => await store.close());

test('a stored schedule is read as it was written, and belongs to its tenant', async () => {
  const schedule = aSchedule('one');
  await store.schedules.create(schedule, 10);
  expect(await store.schedules.find(schedule)).toEqual(schedule);
  expect(await store.schedules.find({ tenantId: 'other', id: 'one' })).toBeNull();
  expect((await store.schedules.list('other', { limit: 10 })).items).toEqual([]);
});

test('only one of two changes of the same schedule revision is made', async () => {
  await store.schedules.create(aSchedule('changed'), 10);
  const second = aSchedule('changed', { revision: 2 });
  expect(await Promise.all([store.schedules.replace(second), store.schedules.replace(second)])).toContain(false);
  expect(await store.schedules.find(second)).toEqual(second);
  expect(await store.schedules.markSynced(second, 1)).toBe(false);
  expect(await store.schedules.markSynced(second, 2)).toBe(true);
});

test('a schedule is unsynchronized until Temporal has it, and after its deletion until its row is deleted', async () => {
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
