import { expect, test } from 'vitest';
import { toSchedulesJson } from '../../../../src/api/schedules/schedule-json.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { ADMIN } from '../../../support/builders/callers.ts';
import { aFakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

test('schedules are listed within one deadline although Temporal answers nothing', async () => {
  const temporal = aFakeTemporal();
  temporal.isSilent = true;
  const schedules = Array.from({ length: 40 }, (_, index) => aSchedule(`silent-${index}`));
  const startedAt = Date.now();
  const listed = await toSchedulesJson(
    { ...fireDeps(store), engine: temporal.engine },
    { ...ADMIN, tenantId: 'acme', sub: 'ada', roles: ['admin'] },
    schedules,
  );
  expect(listed.map(({ nextTimes }) => nextTimes)).toEqual(schedules.map(() => null));
  expect(Date.now() - startedAt).toBeLessThan(5_000);
}, 30_000);
