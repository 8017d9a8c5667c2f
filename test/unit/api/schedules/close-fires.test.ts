import { expect, test } from 'vitest';
import { closeFires } from '../../../../src/api/schedules/close-fires.ts';
import { aDueFire, anOpenedFire, createSchedule, startFire } from '../../../support/builders/fires.ts';
import { endRun } from '../../../support/builders/store-builders.ts';
import { aFakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const AT = '2026-01-01T01:00:00.000Z';

/** Temporal lists no times. */
function unlisted() {
  const { engine } = aFakeTemporal();
  const timesBetween = async (): Promise<never> => await Promise.reject(new Error('Temporal is away'));
  return { ...fireDeps(store), engine: { ...engine, schedules: { ...engine.schedules, timesBetween } } };
}

test('a hundred fires that cannot be closed delay no other fires', async () => {
  const stuck = await createSchedule(store, 'unclosed', { tenantId: 'unclosed' });
  const other = await createSchedule(store, 'closable');
  const REFUSED = { outcome: 'failed', code: 'INTERNAL' } as const;
  for (let number = 0; number <= 100; number += 1) {
    const schedule = number < 100 ? stuck : other;
    const fire = anOpenedFire(schedule, new Date(Date.UTC(2020, 0, 1, 0, number)).toISOString(), `unclosed-${number}`);
    await store.scheduleFires.open(fire);
    await store.scheduleFires.settle({ ...aDueFire(), ...fire }, REFUSED);
  }
  const isListed = async (id: string) => (await store.scheduleFires.over(1_000)).some((fire) => fire.id === id);
  await closeFires(unlisted());
  expect(await isListed('closable')).toBe(true);
  await closeFires({ ...fireDeps(store), engine: aFakeTemporal().engine });
  expect(await isListed('closable')).toBe(false);
});

test.each([
  [9, 'open'],
  [10, 'closed'],
])('after %i failures a fire whose skipped times cannot be listed is %s', async (failures, state) => {
  const schedule = await createSchedule(store, `failed-${failures}`);
  await startFire(store, schedule, AT, schedule.id);
  await endRun(store, { id: schedule.id });
  for (let failed = 0; failed < failures; failed += 1)
    await store.scheduleFires.postponeClose({ ...schedule, at: AT }, 0);
  await closeFires(unlisted());
  const isOpen = await store.scheduleFires.open(anOpenedFire(schedule, AT, 'another'));
  expect(isOpen ? 'open' : 'closed').toBe(state);
});

const AFTER = { missed: '2026-01-02T00:00:00.000Z', skipped: '2026-01-01T00:00:00.000Z' };

test.each([
  ['missed', 'MISSED'],
  ['skipped', 'OVERLAP'],
] as const)('all of 2,500 %s times are recorded although Temporal lists 1,000 at a time', async (name, code) => {
  const schedule = await createSchedule(store, name);
  const temporal = aFakeTemporal();
  temporal.times = Array.from({ length: 2_500 }, (_, index) => new Date(Date.parse(AT) + index * 1_000).toISOString());
  temporal.mostTimes = 1_000;
  await startFire(store, schedule, AFTER[name], name);
  await endRun(store, { id: name });
  await closeFires({ ...fireDeps(store), engine: temporal.engine });
  const fires = (await store.scheduleFires.latest([schedule], 3_000)).get(name) ?? [];
  expect(fires.filter((fire) => fire.code === code)).toHaveLength(2_500);
});
