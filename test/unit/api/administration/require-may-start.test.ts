import { expect, test } from 'vitest';
import { requireMayStart } from '../../../../src/api/administration/require-may-start.ts';
import { toApiSettings } from '../../../../src/config/api-settings.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import { aBatch, aNewRun, aView } from '../../../support/builders/store-builders.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const NOW = Date.parse('2026-03-04T05:06:50.400Z');

const ask = async (tenants: ConfigInput['tenants'], { id = 'next', tenantId = 'acme', nowMs = NOW } = {}) =>
  await requireMayStart(
    { store, settings: toApiSettings(parseConfig('the test', { tenants }), {}) },
    { tenantId, id },
    nowMs,
  ).then(
    () => 'allowed',
    ({ status, code, headers }) => [status, code, headers['retry-after']],
  );

const begin = async (id: string, createdAt: string, costUsd: number): Promise<void> => {
  await store.runs.create(aNewRun({ id, createdAt }));
  const { usage } = aView();
  const view = aView({ usage: { ...usage, costUsd } });
  await store.journal.write(aBatch([1], { view }), { runId: id, tenantId: 'acme', executionRunId: 'e' });
};

test('runs of a tenant and their cost are counted for the current minute and day', async () => {
  await begin('Y', '2026-03-03T23:59:59.999Z', 100);
  await begin('A', '2026-03-04T00:00:00.000Z', 1.5);
  await begin('B', '2026-03-04T05:06:00.000Z', 0.5);
  await begin('C', '2026-03-04T05:06:49.000Z', 0.25);
  await store.runs.createEnded(
    aNewRun({ id: 'R', createdAt: '2026-03-04T05:06:49.000Z', replay: { of: 'A', divergence: null } }),
    [],
  );

  expect(await ask({ acme: { runsPerMinute: 3 } })).toBe('allowed');
  expect(await ask({ acme: { runsPerMinute: 2 } })).toEqual([429, 'QUOTA_REACHED', '10']);
  expect(await ask({ '*': { runsPerMinute: 2 } }, { nowMs: NOW + 10_000 })).toBe('allowed');
  expect(await ask({ acme: { costUsdPerDay: 2.26 } })).toBe('allowed');
  expect(await ask({ acme: { costUsdPerDay: 2.25 } })).toEqual([429, 'QUOTA_REACHED', '67990']);
  expect(await ask({ acme: { costUsdPerDay: 2, runsPerMinute: 1 } })).toEqual([429, 'QUOTA_REACHED', '67990']);
});

test('a repeated start request does not count its own run against the quota, and tenants are counted separately', async () => {
  expect(await ask({ '*': { runsPerMinute: 2 } }, { id: 'C' })).toBe('allowed');
  expect(await ask({ '*': { runsPerMinute: 1 } }, { tenantId: 'other' })).toBe('allowed');
});

test('runs of a tenant without a quota are not counted', async () => {
  const blind = { ...store, readTenantUse: async () => await Promise.reject(new Error('it was counted')) };
  const settings = toApiSettings(parseConfig('the test', { tenants: { other: { runsPerMinute: 1 } } }), {});
  await expect(requireMayStart({ store: blind, settings }, { tenantId: 'acme', id: 'X' })).resolves.toBeUndefined();
});

test('a start request beyond the tenant’s quota is answered with 429, and requests of other tenants are accepted', async () => {
  const api = await startTestApi({ tenants: { other: { runsPerMinute: 0 } } });
  const refused = await api.as('otherTenantUser').post('/api/runs', { graph: 'none' });
  expect(refused).toMatchObject({ status: 429, body: { code: 'QUOTA_REACHED' } });
  const seconds = Number(refused.headers.get('retry-after'));
  expect([seconds >= 1, seconds <= 60]).toEqual([true, true]);
  expect((await api.as('user').post('/api/runs', { graph: 'none' })).status).toBe(404);
  await api.stop();
});
