import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NOTHING_PRUNED } from '../../../../src/store/retention.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import type { ApiAnswer } from '../../../support/readers/api-client.ts';
import { readAll } from '../../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const CHARGE = {
  name: 'charge',
  description: 'Charges',
  parameters: {},
  method: 'POST',
  url: 'https://a.example',
} as const;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    tools: [CHARGE],
    tenants: { '*': { runsPerMinute: 600 }, acme: { costUsdPerDay: 25 } },
  });
  for (const caller of ['user', 'otherTenantUser'] as const)
    await api.as(caller).post('/api/graphs', aDefinition({ name: 'mine' }));
});
afterAll(async () => await api.stop());
beforeEach(async () => {
  for (const path of ['tenants/demo', 'tenants/acme', 'switches/graph/mine', 'switches/tool/charge'])
    await api.as('admin').send(`/admin/${path}`, { method: 'DELETE' });
});

async function put(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
  return await api.as('admin').send(`/admin/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const start = async (caller: 'user' | 'otherTenantUser' = 'user') =>
  await api.as(caller).post('/api/runs', { graph: 'mine' });

describe('the settings of a tenant', () => {
  test("administrators' settings of a tenant override the configuration, and the answer names the source of each", async () => {
    const quotas = (answer: ApiAnswer) => at(answer.body, '/quotas');
    expect(quotas(await api.as('admin').get('/admin/tenants/acme'))).toEqual({
      runsPerMinute: { limit: 600, source: 'all' },
      costUsdPerDay: { limit: 25, source: 'tenant' },
    });
    const set = await put('tenants/acme', { costUsdPerDay: null });
    expect(set.status).toBe(201);
    expect(quotas(set)).toEqual({
      runsPerMinute: { limit: 600, source: 'all' },
      costUsdPerDay: { limit: null, source: 'admin' },
    });
    const again = await put('tenants/acme', { runsPerMinute: 5 });
    expect([again.status, quotas(again)]).toEqual([
      200,
      { runsPerMinute: { limit: 5, source: 'admin' }, costUsdPerDay: { limit: 25, source: 'tenant' } },
    ]);
    expect((await readAll(api.as('admin'), '/admin/tenants', 1)).map((one) => textAt(one, '/id'))).toEqual(['acme']);
    await api.as('admin').send('/admin/tenants/acme', { method: 'DELETE' });
    expect((await api.as('admin').get('/admin/tenants/acme')).body).toMatchObject({ changedAt: null, changedBy: null });
  });

  test('a new quota applies to a tenant at once', async () => {
    expect((await start()).status).toBe(201);
    await put('tenants/demo', { runsPerMinute: 0 });
    expect(await start()).toMatchObject(aProblem(429, 'QUOTA_REACHED'));
    expect((await start('otherTenantUser')).status).toBe(201);
    await put('tenants/demo', { runsPerMinute: null });
    expect((await start()).status).toBe(201);
  });

  test('a suspended tenant starts no runs, and receives the reason, until the suspension ends', async () => {
    const first = await put('tenants/demo', { suspended: { reason: 'The bill is open' } });
    expect(await start()).toMatchObject(aProblem(403, 'TENANT_SUSPENDED'));
    expect(textAt((await start()).body, '/detail')).toContain('The bill is open');
    expect((await start('otherTenantUser')).status).toBe(201);
    const later = await put('tenants/demo', { suspended: { reason: 'It still is' } });
    expect(at(later.body, '/suspended')).toEqual({
      reason: 'It still is',
      since: textAt(first.body, '/suspended/since'),
    });
    await put('tenants/demo', { suspended: null });
    expect((await start()).status).toBe(201);
  });

  test('a tenant stays suspended until the suspension itself is lifted', async () => {
    await put('tenants/demo', { suspended: { reason: 'The bill is open' } });
    const set = await put('tenants/demo', { runsPerMinute: 5 });
    expect(set.body).toMatchObject({
      suspended: { reason: 'The bill is open' },
      quotas: { runsPerMinute: { limit: 5 } },
    });
    expect(await start()).toMatchObject(aProblem(403, 'TENANT_SUSPENDED'));
    expect(at((await put('tenants/demo', { suspended: null })).body, '/suspended')).toBeNull();
    expect((await start()).status).toBe(201);
  });

  test.each([
    ['demo', {}, ''],
    ['demo', { runsPerMinute: -1 }, '/runsPerMinute'],
    ['demo', { runsPerHour: 1, runsPerMinute: 1 }, '/runsPerHour'],
    ['demo', { suspended: {} }, '/suspended/reason'],
    ['no%20tenant', { runsPerMinute: 1 }, '/id'],
  ])('the settings of the tenant %s are not changed by %j', async (id, terms, path) => {
    const answer = await put(`tenants/${id}`, terms);
    expect([answer.status, issuePathsOf(answer)]).toEqual([422, [path]]);
  });
});

describe('a kill switch', () => {
  test('a disabled graph starts no runs of the tenants that the kill switch names', async () => {
    const off = { state: 'off', reason: 'It pays twice' };
    expect(await put('switches/graph/mine', { ...off, tenants: ['demo'] })).toMatchObject({
      status: 201,
      body: { kind: 'graph', name: 'mine', ...off, tenants: ['demo'] },
    });
    const refused = await start();
    expect(refused).toMatchObject(aProblem(403, 'SWITCHED_OFF'));
    expect(textAt(refused.body, '/detail')).toContain('It pays twice');
    expect((await start('otherTenantUser')).status).toBe(201);
    expect((await put('switches/graph/mine', off)).status).toBe(200);
    expect((await start('otherTenantUser')).status).toBe(403);
    await put('switches/graph/mine', { state: 'on', reason: 'It is mended' });
    expect((await start()).status).toBe(201);
  });

  test('the kill switch of a tool is visible in the lists of tools and of switches', async () => {
    const [tool] = listAt((await api.as('user').get('/api/tools')).body, '/items');
    expect(tool).toMatchObject({ name: 'charge', switchedOff: null });
    await put('switches/tool/charge', { state: 'off', reason: 'down' });
    const [off] = listAt((await api.as('user').get('/api/tools')).body, '/items');
    expect(off).toMatchObject({ name: 'charge', switchedOff: { reason: 'down', since: expect.any(String) } });
    await put('switches/graph/mine', { state: 'on', reason: 'none' });
    const names = (await readAll(api.as('admin'), '/admin/switches', 1)).map((one) => textAt(one, '/name'));
    expect(names).toEqual(['mine', 'charge']);
  });

  test('a kill switch for a tool, model or graph that the installation does not have is refused, as it would have no effect', async () => {
    const answer = await put('switches/tool/charges', { state: 'off', reason: 'down' });
    expect(answer).toMatchObject(aProblem(404, 'NOT_FOUND'));
    expect(textAt(answer.body, '/detail')).toContain('charge');
    const some = await put('switches/tool/charge', { state: 'on', reason: 'mended', tenants: ['demo'] });
    expect([some.status, issuePathsOf(some)]).toEqual([422, ['/tenants']]);
    expect((await put('switches/graph/a%00b', { state: 'off', reason: 'down' })).status).toBe(422);
    expect((await put('switches/lamp/charge', { state: 'off', reason: 'down' })).status).toBe(422);
    expect((await put('switches/tool/charge', { state: 'off' })).status).toBe(422);
  });
});

const audit = async (query: string) => await readAll(api.as('admin'), `/admin/audit?${query}`, 2);

describe('the audit log', () => {
  test('the audit log records who has done what, newest first, without the data that was sent', async () => {
    const user = api.as('user');
    const since = new Date().toISOString();
    await user.post(
      '/api/graphs',
      aDefinition({ name: 'told', nodes: { a: { type: 'set', write: { log: 'canary-4711' } } } }),
    );
    await put('switches/tool/charge', { state: 'off', reason: 'canary-4711' });
    await put('tenants/acme', { runsPerMinute: 1 });
    const run = await user.post('/api/runs', { graph: 'told' });
    await user.get('/api/runs');
    const entries = await audit(`from=${since}`);
    expect(entries.map((entry) => [textAt(entry, '/action'), at(entry, '/subject'), textAt(entry, '/by')])).toEqual([
      ['tenant.set', 'acme', 'root'],
      ['switch.off', 'tool/charge', 'root'],
      ['graph.publish', 'told@1', 'uma'],
    ]);
    expect(run.status).toBe(201);
    expect(JSON.stringify(entries)).not.toContain('canary-4711');
    expect(await audit(`from=${since}&by=uma`)).toHaveLength(1);
    expect(await audit(`from=${since}&action=switch`)).toHaveLength(1);
    expect(await audit(`from=${since}&action=swi`)).toHaveLength(0);
    expect(await audit(`from=${since}&to=${since}`)).toHaveLength(0);
    expect((await api.as('user').get('/admin/audit')).status).toBe(403);
  });

  test('the audit log has one entry for a repeated request, and none for a refused one', async () => {
    const since = new Date().toISOString();
    const once = { 'idempotency-key': 'switch-it-once' };
    for (let time = 0; time < 3; time += 1) await put('switches/tool/charge', { state: 'off', reason: 'down' }, once);
    await put('switches/tool/none', { state: 'off', reason: 'down' });
    await api.as('user').send('/admin/switches/tool/charge', { method: 'DELETE' });
    expect(await audit(`from=${since}`)).toHaveLength(1);
  });

  test('the audit log has what an interrupted request had done, once its idempotency key is sent again', async () => {
    const since = new Date().toISOString();
    const request = { tenantId: 'demo', subject: 'root', route: 'PUT /admin/tenants/acme', key: 'dies' };
    const gone = new Error('the process is gone');
    vi.spyOn(api.store.audit, 'add').mockRejectedValueOnce(gone);
    vi.spyOn(api.store.idempotency, 'keep').mockRejectedValueOnce(gone);
    await put('tenants/acme', { runsPerMinute: 1 }, { 'idempotency-key': 'dies' });
    expect(await audit(`from=${since}`)).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      await api.store.idempotency.lease(request, since);
      expect((await put('tenants/acme', { runsPerMinute: 1 }, { 'idempotency-key': 'dies' })).status).toBe(200);
    }
    expect(await audit(`from=${since}`)).toHaveLength(1);
  });

  test('the audit log has one entry for a change whose request was interrupted before its answer was stored', async () => {
    const since = new Date().toISOString();
    const request = { tenantId: 'demo', subject: 'root', route: 'PUT /admin/tenants/acme', key: 'kept' };
    vi.spyOn(api.store.idempotency, 'keep').mockRejectedValueOnce(new Error('the process is gone'));
    for (let time = 0; time < 2; time += 1) {
      await put('tenants/acme', { runsPerMinute: 1 }, { 'idempotency-key': 'kept' });
      await api.store.idempotency.lease(request, since);
    }
    expect(await audit(`from=${since}`)).toHaveLength(1);
  });

  test('the audit log records a pruning that fails midway, as some of it is done', async () => {
    const since = new Date().toISOString();
    const gone = new Error('the database is gone');
    vi.spyOn(api.store.retention, 'prune').mockImplementationOnce(async function* failMidway() {
      yield { ...NOTHING_PRUNED, runs: 200 };
      await Promise.reject(gone);
    });
    const pruned = await api.as('admin').post('/admin/prune', { dryRun: false });
    expect(pruned.status).toBe(500);
    expect((await api.as('admin').post('/admin/prune', { dryRun: true })).status).toBe(200);
    expect(await audit(`from=${since}`)).toMatchObject([{ action: 'retention.prune', by: 'root' }]);
  });

  describe('the audit log of deletions', () => {
    const remove = async (path: string) => await api.as('admin').send(path, { method: 'DELETE' });
    const gone = new Error('the process is gone');
    const isThere = async (): Promise<boolean> =>
      (await api.store.switches.find({ kind: 'tool', name: 'charge' })) !== null;
    let since = '';
    beforeEach(async () => {
      await put('switches/tool/charge', { state: 'off', reason: 'down' });
      await sleep(2);
      since = new Date().toISOString();
    });

    test('a deletion is recorded in the audit log first, and not done if it cannot be recorded', async () => {
      vi.spyOn(api.store.audit, 'add').mockRejectedValueOnce(gone);
      expect((await remove('/admin/switches/tool/charge')).status).toBe(500);
      expect([await isThere(), await audit(`from=${since}`)]).toEqual([true, []]);
      expect((await remove('/admin/switches/tool/charge')).status).toBe(204);
      expect([await isThere(), (await audit(`from=${since}`)).length]).toEqual([false, 1]);
    });

    test('a deletion whose process has died is recorded in the audit log', async () => {
      vi.spyOn(api.store.switches, 'remove').mockRejectedValueOnce(gone);
      expect((await remove('/admin/switches/tool/charge')).status).toBe(500);
      expect(await audit(`from=${since}`)).toMatchObject([{ action: 'switch.delete', subject: 'tool/charge' }]);
    });

    test.each([
      ['/api/graphs/told/versions/99', 404],
      ['/admin/switches/lamp/charge', 422],
      ['/admin/switches/tool/charge?soon=1', 422],
      ['/api/memory/n/a%00b', 422],
    ])('a refused deletion of %s is not recorded in the audit log', async (path, status) => {
      expect((await remove(path)).status).toBe(status);
      expect(await audit(`from=${since}`)).toEqual([]);
    });
  });

  test("an audit entry about a run names the run's tenant, whoever has acted", async () => {
    const runId = textAt((await start('otherTenantUser')).body, '/id');
    await api.store.audit.add({
      id: 'req-1',
      requestId: 'req-1',
      at: new Date().toISOString(),
      acts: [
        { action: 'run.cancel', subject: runId },
        { action: 'webhook.ping', subject: runId },
      ],
      by: { sub: 'root', tenantId: 'demo', roles: ['admin'] },
      tenantId: 'demo',
      crossesTenants: true,
    });
    const entry = { action: 'run.cancel', subject: runId, runId, tenantId: 'other', by: 'root', byTenantId: 'demo' };
    expect(await audit(`runId=${runId}`)).toMatchObject([{ ...entry, roles: ['admin'] }]);
    expect(await audit('tenantId=other&action=run.cancel')).toHaveLength(1);
    expect(await audit('tenantId=demo&action=webhook')).toHaveLength(1);
  });

  test('an audit entry about a tenant is found by this tenant', async () => {
    const since = new Date().toISOString();
    await put('tenants/acme', { runsPerMinute: 1 });
    await api.as('admin').send('/admin/tenants/acme', { method: 'DELETE' });
    expect(await audit(`from=${since}&tenantId=acme`)).toMatchObject([
      { action: 'tenant.delete', subject: 'acme', tenantId: 'acme', byTenantId: 'demo' },
      { action: 'tenant.set', subject: 'acme', tenantId: 'acme', byTenantId: 'demo' },
    ]);
  });

  test('audit entries older than the retention are deleted', async () => {
    await put('tenants/acme', { runsPerMinute: 1 });
    expect(await api.store.audit.forgetBefore('2020-01-01T00:00:00.000Z')).toBe(0);
    expect(await api.store.audit.forgetBefore('2999-01-01T00:00:00.000Z')).toBeGreaterThan(0);
    expect(await audit('')).toEqual([]);
  });
});
