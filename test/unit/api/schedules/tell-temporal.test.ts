import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiError, unavailable } from '../../../../src/api/http/errors.ts';
import { healSchedule, tellTemporal } from '../../../../src/api/schedules/change-schedule.ts';
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
/** Happens while Temporal is told. */
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
    put: async ({ scheduleId }: { scheduleId: string }, times: TimesOfSchedule) => {
      const happen = meanwhile;
      meanwhile = async () => undefined;
      await happen();
      had.set(scheduleId, times);
    },
    remove: async ({ scheduleId }: { scheduleId: string }) => void had.delete(scheduleId),
  },
};
const deps = () => ({ store, engine, logger: createLogger('silent') });
const untold = async () => await store.schedules.untold('2999-01-01T00:00:00Z', 100);

describe('synchronization by the sweeper', () => {
  test('the sweeper creates the missing schedule of a row', async () => {
    const schedule = aSchedule('created');
    await store.schedules.create(schedule, 10);
    for (const one of await untold()) await healSchedule(deps(), one);
    expect(had.get('created')).toMatchObject({ every: '1h', paused: false });
    expect(await untold()).toEqual([]);
  });

  test('the sweeper deletes the schedule of a deleted row, and the row', async () => {
    const schedule = aSchedule('deleted');
    await store.schedules.create(schedule, 10);
    await tellTemporal(deps(), schedule);
    await store.schedules.remove(schedule);
    for (const one of await untold()) await healSchedule(deps(), one);
    expect([had.size, await untold()]).toEqual([0, []]);
  });

  test('the sweeper pauses a schedule whose times Temporal refuses', async () => {
    const schedule = aSchedule('refused');
    await store.schedules.create(schedule, 10);
    meanwhile = async () => {
      throw new ApiError('INVALID_REQUEST', 'Temporal does not take these times');
    };
    await healSchedule(deps(), { ...schedule, isDeleted: false });
    expect(await store.schedules.find(schedule)).toMatchObject({ paused: true });
    expect(await untold()).toEqual([]);
  });

  test('the sweeper tries again when Temporal is unavailable', async () => {
    const schedule = aSchedule('away');
    await store.schedules.create(schedule, 10);
    meanwhile = async () => {
      throw unavailable('Temporal');
    };
    await expect(healSchedule(deps(), { ...schedule, isDeleted: false })).rejects.toThrow('Temporal');
    expect(await untold()).toMatchObject([{ id: 'away' }]);
    await healSchedule(deps(), { ...schedule, isDeleted: false });
    expect(await untold()).toEqual([]);
  });
});

test('Temporal has what the row says last, also when that has changed while it was told', async () => {
  const schedule = aSchedule('changed');
  await store.schedules.create(schedule, 10);
  meanwhile = async () => void (await store.schedules.replace({ ...schedule, paused: true, revision: 2 }));
  await tellTemporal(deps(), schedule);
  expect(had.get('changed')).toMatchObject({ paused: true });
  expect(await untold()).toEqual([]);
});

test.each([
  ['is deleted', false],
  ['is deleted and forgotten', true],
])('Temporal keeps no schedule that %s while it is told of a change', async (name, isForgotten) => {
  const schedule = aSchedule(name);
  await store.schedules.create(schedule, 10);
  meanwhile = async () => {
    await store.schedules.remove(schedule);
    if (isForgotten) await healSchedule(deps(), { ...schedule, isDeleted: true });
  };
  await tellTemporal(deps(), schedule);
  expect(had.size).toBe(0);
});
