import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import type { ApiClient } from '../../../support/readers/api-client.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const done = async (): Promise<void> => await Promise.resolve();
const noTimes = async (): Promise<readonly string[]> => await Promise.resolve([]);

let api: TestApi;
beforeAll(async () => {
  const absent = anAbsentEngine();
  const schedules = { ...absent.schedules, put: done, remove: done, nextTimes: noTimes, timesBetween: noTimes };
  const engine = anAbsentEngine({ schedules });
  api = await startTestApi({ tenants: { demo: { runsPerMinute: 0 } } }, { engine });
  await api.as('user').post('/api/graphs', aDefinition({ name: 'g' }));
});
afterAll(async () => await api.stop());

test('a schedule’s trigger waits while Temporal is unavailable, and the same idempotency key makes no second one', async () => {
  const { body } = await api.as('user').post('/api/schedules', { graph: 'g', every: '1h', overlap: 'allow' });
  const path = `/api/schedules/${textAt(body, '/id')}`;
  const trigger = async () => await api.as('user').post(`${path}/trigger`, {}, { 'idempotency-key': 'once' });

  const first = await trigger();
  const again = await trigger();

  expect([first.status, at(first.body, '/outcome')]).toEqual([202, 'pending']);
  expect([again.status, again.body]).toEqual([202, first.body]);
  expect(listAt((await api.as('user').get(path)).body, '/lastRuns')).toHaveLength(1);
  const audit = await api.as('admin').get('/admin/audit?action=schedule.trigger');
  expect(listAt(audit.body, '/items')).toHaveLength(1);
});

test('a schedule names its owner, and the audit log records a new owner', async () => {
  const { body } = await api.as('user').post('/api/schedules', { graph: 'g', every: '1h' });
  const id = textAt(body, '/id');
  const path = `/api/schedules/${id}`;
  const changed = async (client: ApiClient, change: object) =>
    await client.send(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
  expect(body).toMatchObject({ owner: 'uma' });
  expect((await changed(api.as('admin'), { paused: true })).body).toMatchObject({ owner: 'uma', paused: true });
  expect((await changed(await api.asRole('user'), { every: '2h' })).body).toMatchObject({ owner: 'user', every: '2h' });
  const audit = await api.as('admin').get('/admin/audit?action=schedule.own');
  expect(listAt(audit.body, '/items')).toMatchObject([{ subject: id, by: 'user' }]);
});

test("a deletion of another tenant's schedule leaves no entry in the audit log of that tenant", async () => {
  await api.as('otherTenantUser').post('/api/graphs', aDefinition({ name: 'g' }));
  const { body } = await api.as('otherTenantUser').post('/api/schedules', { graph: 'g', every: '1h' });
  const id = textAt(body, '/id');
  expect((await api.as('user').send(`/api/schedules/${id}`, { method: 'DELETE' })).status).toBe(204);
  const audit = await api.as('admin').get('/admin/audit?action=schedule.delete');
  expect(listAt(audit.body, '/items')).toMatchObject([{ subject: id, tenantId: 'demo', by: 'uma' }]);
});
