import { expect, test } from 'vitest';
import { startTick } from '../../../../src/api/schedules/start-tick.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { aNewRun } from '../../../support/builders/store-builders.ts';
import { turnDeps } from '../../../support/doubles/turn-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const start = async (config: ConfigInput, roles: readonly string[]) =>
  await startTick(
    turnDeps(store, config),
    { ...aSchedule('hourly'), roles },
    { at: '2026-01-01T01:00:00.000Z', kind: 'time', runId: 'R1' },
  );

test.each<[ConfigInput['roles'], string, string]>([
  [{}, 'user', 'UNKNOWN_GRAPH'],
  [{ user: ['run:read'] }, 'user', 'FORBIDDEN'],
  [{ starter: ['run:start'] }, 'starter', 'UNKNOWN_GRAPH'],
  [{}, 'starter', 'FORBIDDEN'],
])('with the roles %j, a schedule of a %s comes to %s', async (roles = {}, role, code) => {
  expect(await start({ roles }, [role])).toMatchObject({ outcome: 'failed', code });
});

test('a time is left out while the quota of its tenant is used up', async () => {
  expect(await start({ tenants: { acme: { runsPerMinute: 0 } } }, ['user'])).toMatchObject({
    outcome: 'skipped',
    code: 'QUOTA_REACHED',
  });
});

test('a time whose run was accepted has started it, also if its tenant may start no more', async () => {
  await store.runs.create(aNewRun({ id: 'R1' }));
  expect(await start({ tenants: { acme: { runsPerMinute: 0 } } }, ['user'])).toEqual({ outcome: 'started' });
});
