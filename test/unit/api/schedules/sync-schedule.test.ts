import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiError, unavailable } from '../../../../src/api/http/errors.ts';
import { repairSchedule, syncSchedule } from '../../../../src/api/schedules/sync-schedule.ts';
import type { TimesOfSchedule } from '../../../../src/api/temporal/timed-schedules.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { openMemoryStore } from '../../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../../support/servers/memory-database.ts';

/* The sweeper's repairs after a crash between writing the row and changing Temporal's schedule, in either order. */

let store: MemoryStore;
/** The schedules in Temporal. */
const had = new Map<string, TimesOfSchedule>();
/** Called while Temporal changes a schedule. */
let meanwhile = async (): Promise<void> => undefined;

beforeAll(async () => {
  store = await openMemoryStore();
});
beforeEach(() => {
  had.clear();
  meanwhile = async () => undefined;
});
afterAll(async () => await store.close());

const absent = anAbsentEngine();
const engine = {
  ...absent,
  schedules: {
    ...absent.schedules,
    put: async ({ id }: { id: string }, times: TimesOfSchedule) => {
      const happen = meanwhile;
      meanwhile = async () => undefined;
      await happen();
      had.set(id, times);
    },
    remove: async ({ id }: { id: string }) => void had.delete(id),
  },
};
const deps = () => ({ store, engine, logger: createLogger('silent') });
const unsynced = async () => await store.schedules.unsynced('2999-01-01T00:00:00Z', 100);

describe('synchronization by the sweeper', () => {
  test('the sweeper creates the missing Temporal schedule of a row', async () => {
    const schedule = aSchedule('created');
    await store.schedules.create(schedule, 10);
    for (const one of await unsynced()) await repairSchedule(deps(), one);
    expect(had.get('created')).toMatchObject({ every: '1h', paused: false });
    expect(await unsynced()).toEqual([]);
  });

  test('the sweeper deletes the Temporal schedule of a deleted row, and the row', async () => {
    const schedule = aSchedule('deleted');
    await store.schedules.create(schedule, 10);
    await syncSchedule(deps(), schedule);
    await store.schedules.remove(schedule);
    for (const one of await unsynced()) await repairSchedule(deps(), one);
    expect([had.size, await unsynced()]).toEqual([0, []]);
  });

  test('the sweeper pauses a schedule whose times Temporal refuses', async () => {
    const schedule = aSchedule('refused');
    await store.schedules.create(schedule, 10);
    meanwhile = async () => {
      throw new ApiError('INVALID_REQUEST', 'Temporal does not take these times');
    };
    await repairSchedule(deps(), { ...schedule, isDeleted: false });
    expect(await store.schedules.find(schedule)).toMatchObject({ paused: true });
    expect(await unsynced()).toEqual([]);
  });

  test('the sweeper sends a schedule again when Temporal is unavailable', async () => {
    const schedule = aSchedule('away');
    await store.schedules.create(schedule, 10);
    meanwhile = async () => {
      throw unavailable('Temporal');
    };
    await expect(repairSchedule(deps(), { ...schedule, isDeleted: false })).rejects.toThrow('Temporal');
    expect(await unsynced()).toMatchObject([{ id: 'away' }]);
    await repairSchedule(deps(), { ...schedule, isDeleted: false });
    expect(await unsynced()).toEqual([]);
  });
});

test('Temporal has the last revision of a schedule’s row that changes while it is sent', async () => {
  const schedule = aSchedule('changed');
  await store.schedules.create(schedule, 10);
  meanwhile = async () => void (await store.schedules.replace({ ...schedule, paused: true, revision: 2 }));
  await syncSchedule(deps(), schedule);
  expect(had.get('changed')).toMatchObject({ paused: true });
  expect(await unsynced()).toEqual([]);
});

test.each([
  ['is deleted', false],
  ['is deleted together with its row', true],
])('Temporal keeps no schedule that %s while its change is sent', async (name, isForgotten) => {
  const schedule = aSchedule(name);
  await store.schedules.create(schedule, 10);
  meanwhile = async () => {
    await store.schedules.remove(schedule);
    if (isForgotten) await repairSchedule(deps(), { ...schedule, isDeleted: true });
  };
  await syncSchedule(deps(), schedule);
  expect(had.size).toBe(0);
});
