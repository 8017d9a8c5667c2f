import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const URL = 'https://hooks.example.com/holdfast';
/** A host that tools may reach. */
const TOOLS_HOST = '127.0.0.1:8080';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ http: { allow: [TOOLS_HOST] } });
});
afterAll(async () => {
  await api.stop();
});

type Caller = 'user' | 'approver' | 'admin' | 'otherTenantUser';

const add = async (over: object = {}, caller: Caller = 'user') =>
  await api.as(caller).post('/api/webhooks', { url: URL, events: ['run.failed'], ...over });
const idOf = async (over: object = {}, caller: Caller = 'user') => textAt((await add(over, caller)).body, '/id');

describe('a webhook', () => {
  test('creating a webhook returns its secret once, and the webhook is read, listed and removed', async () => {
    const added = await add({ events: ['run.failed', 'run.failed', 'run.completed'] });
    const id = textAt(added.body, '/id');
    const shown = {
      id,
      url: URL,
      events: ['run.failed', 'run.completed'],
      format: 'standard',
      linkBase: null,
      failingSince: null,
      disabled: null,
      createdAt: expect.any(String),
      createdBy: expect.any(String),
    };
    expect(added).toMatchObject({
      status: 201,
      body: { ...shown, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) },
    });
    expect(added.headers.get('location')).toBe(`/api/webhooks/${id}`);
    expect((await api.as('user').get(`/api/webhooks/${id}`)).body).toEqual(shown);
    expect(listAt((await api.as('user').get('/api/webhooks')).body, '/items')).toEqual([shown]);
    const remove = async () => await api.as('user').send(`/api/webhooks/${id}`, { method: 'DELETE' });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    expect(await api.as('user').get(`/api/webhooks/${id}`)).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });

  test('a webhook is added once for one idempotency key, with the same secret', async () => {
    const post = async () =>
      await api.as('user').post('/api/webhooks', { url: URL, events: ['run.failed'] }, { 'idempotency-key': 'once' });
    const [first, again] = [await post(), await post()];
    expect(again.body).toEqual(first.body);
    const stored = await api.store.webhooks.secretsOf(textAt(first.body, '/id'));
    expect(stored).toEqual([textAt(first.body, '/secret')]);
  });

  test('a webhook belongs to its tenant only', async () => {
    const id = await idOf();
    const other = api.as('otherTenantUser');
    for (const path of ['', '/deliveries'])
      expect(await other.get(`/api/webhooks/${id}${path}`)).toMatchObject({ status: 404 });
    for (const path of ['/rotate', '/enable', '/ping', '/deliveries/x/replay'])
      expect(await other.post(`/api/webhooks/${id}${path}`, {})).toMatchObject(aProblem(404, 'NOT_FOUND'));
    await other.send(`/api/webhooks/${id}`, { method: 'DELETE' });
    expect(await api.as('user').get(`/api/webhooks/${id}`)).toMatchObject({ status: 200 });
    expect((await other.get('/api/webhooks')).body).toEqual({ items: [], nextCursor: null });
  });

  test('an admin uses webhooks of other tenants by their ids, and the audit has it in the tenant of the admin', async () => {
    const id = await idOf({}, 'otherTenantUser');
    const admin = api.as('admin');
    expect(await admin.get(`/api/webhooks/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect((await admin.post(`/api/webhooks/${id}/rotate`, {})).status).toBe(200);
    expect((await admin.post(`/api/webhooks/${id}/enable`, {})).status).toBe(200);
    const { status, body } = await admin.post(`/api/webhooks/${id}/ping`, {});
    expect(status).toBe(202);
    expect((await admin.post(`/api/webhooks/${id}/deliveries/${textAt(body, '/id')}/replay`, {})).status).toBe(202);
    expect((await api.as('otherTenantUser').get(`/api/webhooks/${id}/deliveries`)).body).toMatchObject({
      items: [{ id: textAt(body, '/id') }],
    });
    expect((await admin.send(`/api/webhooks/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await api.as('otherTenantUser').get(`/api/webhooks/${id}`)).toMatchObject(aProblem(404, 'NOT_FOUND'));
    const audit = listAt((await admin.get('/admin/audit?action=webhook')).body, '/items');
    const ofWebhook = audit.filter((entry) => at(entry, '/subject') === id);
    const actions = ['create', 'rotate', 'enable', 'ping', 'delete', 'replay'].map((action) => `webhook.${action}`);
    expect(new Set(ofWebhook.map((entry) => at(entry, '/action')))).toEqual(new Set(actions));
    const tenants = ofWebhook.map((entry) => [at(entry, '/action') === 'webhook.create', at(entry, '/tenantId')]);
    expect(tenants).toEqual(tenants.map(([isCreated]) => [isCreated, isCreated === true ? 'other' : 'demo']));
  });

  test('the permission to read runs is not enough to read webhooks, as their URL may be a secret', async () => {
    expect(await api.as('approver').get('/api/webhooks')).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(await add({}, 'approver')).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });

  test('adding a webhook requires the permission to read runs', async () => {
    const caller = {
      sub: 'cy',
      tenantId: 'demo',
      roles: ['controller'],
      permissions: new Set(['run:control'] as const),
    };
    const controlled = await startTestApi({}, { authenticate: async () => ({ ...caller, expiresAtMs: Infinity }) });
    const user = controlled.as('user');
    expect(await user.get('/api/webhooks')).toMatchObject({ status: 200 });
    const refused = await user.post('/api/webhooks', { url: URL, events: ['run.failed'] });
    expect(refused).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('run:read') });
    await controlled.stop();
  });

  test('a webhook of Slack has no signing secret, and its URL is hidden', async () => {
    const slack = {
      format: 'slack',
      url: 'https://hooks.slack.com/services/T0/B0/canary/?canary=/#/',
      linkBase: 'https://me.example',
    };
    const added = await add(slack);
    expect(added).toMatchObject({
      status: 201,
      body: { secret: null, url: 'https://hooks.slack.com/[hidden]' },
    });
    expect(JSON.stringify((await api.as('admin').get('/api/webhooks')).body)).not.toContain('canary');
    const rotated = await api.as('user').post(`/api/webhooks/${textAt(added.body, '/id')}/rotate`, {});
    expect(rotated).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    expect(issuePathsOf(await add({ ...slack, secret: SECRET }))).toEqual(['/secret']);
  });

  test.each([
    [{ url: 'ftp://a.example' }, '/url'],
    [{ url: 'nonsense' }, '/url'],
    [{ url: `https://a.example/${'x'.repeat(2_048)}` }, '/url'],
    [{ url: 'http://127.0.0.1:8080' }, '/url'],
    [{ url: 'http://0x7f.1' }, '/url'],
    [{ url: 'http://[::ffff:169.254.169.254]/latest' }, '/url'],
    [{ url: 'https://me:too@a.example' }, '/url'],
    [{ events: [] }, '/events'],
    [{ events: ['run.exploded'] }, '/events/0'],
    [{ events: Array.from({ length: 31 }, () => 'run.failed') }, '/events'],
    [{ secret: 'whsec_c2hvcnQ=' }, '/secret'],
    [{ secret: SECRET.slice(6) }, '/secret'],
    [{ secret: SECRET.slice(0, -2) }, '/secret'],
    [{ format: 'carrier pigeon' }, '/format'],
    [{ linkBase: 'here' }, '/linkBase'],
    [{ more: 1 }, '/more'],
  ])('a webhook with the fields %j is refused', async (over, path) => {
    const refused = await add(over);
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(refused)).toEqual([path]);
  });

  test('a webhook may not use private addresses that are allowed to tools only', async () => {
    const refused = await add({ url: `http://${TOOLS_HOST}` });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(refused.body).toMatchObject({ detail: expect.stringMatching(/webhooks\.allow .* webhooks may reach/) });
  });

  test('a tenant has at most a hundred webhooks', async () => {
    const added = await Promise.all(Array.from({ length: 101 }, async () => await add({}, 'otherTenantUser')));
    expect(added.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(added.find(({ status }) => status !== 201)).toMatchObject(aProblem(409, 'TOO_MANY_KEPT'));
    const first = await api.as('otherTenantUser').get('/api/webhooks?limit=60');
    const rest = await api
      .as('otherTenantUser')
      .get(`/api/webhooks?limit=60&cursor=${textAt(first.body, '/nextCursor')}`);
    const ids = [first, rest].flatMap(({ body }) => listAt(body, '/items').map((item) => textAt(item, '/id')));
    expect(new Set(ids).size).toBe(100);
  });
});

describe('rotating a secret', () => {
  test('rotating a webhook’s secret invalidates no earlier secret within a day, however often it is tried', async () => {
    const id = await idOf({ secret: SECRET });
    const rotate = async (body = {}) => await api.as('user').post(`/api/webhooks/${id}/rotate`, body);
    const secrets = [SECRET];
    for (const _ of [1, 2, 3]) secrets.unshift(textAt((await rotate()).body, '/secret'));
    expect(await api.store.webhooks.secretsOf(id)).toEqual(secrets);
    expect(await rotate()).toMatchObject(aProblem(409, 'TOO_MANY_KEPT'));
    expect(await rotate({ secret: secrets[0] })).toMatchObject({ status: 200, body: { secret: secrets[0] } });
    expect(await api.store.webhooks.secretsOf(id)).toEqual(secrets);
    await api.store.database.query(`update webhooks set earlier_secrets = $1 where id = $2`, [
      JSON.stringify(secrets.slice(1).map((secret) => ({ secret, until: '2020-01-01T00:00:00.000Z' }))),
      id,
    ]);
    expect(await api.store.webhooks.secretsOf(id)).toEqual(secrets.slice(0, 1));
    const after = textAt((await rotate()).body, '/secret');
    expect(await api.store.webhooks.secretsOf(id)).toEqual([after, secrets[0]]);
  });

  test('a webhook’s secret is rotated once for one idempotency key, and both secrets sign for a day', async () => {
    const id = await idOf({ secret: SECRET });
    const rotate = async () =>
      await api.as('user').post(`/api/webhooks/${id}/rotate`, {}, { 'idempotency-key': 'turn' });
    const [first, again] = [await rotate(), await rotate()];
    expect(first).toMatchObject({ status: 200, body: { id, secret: expect.stringMatching(/^whsec_/) } });
    expect(again.body).toEqual(first.body);
    expect(await api.store.webhooks.secretsOf(id)).toEqual([textAt(first.body, '/secret'), SECRET]);
    const repetition = { id: 'R', secret: SECRET };
    await api.store.webhooks.rotate({ tenantId: 'demo', id }, repetition, 3);
    await api.store.webhooks.rotate({ tenantId: 'demo', id }, { ...repetition, secret: 'whsec_other' }, 3);
    expect(await api.store.webhooks.secretsOf(id)).toEqual([SECRET, textAt(first.body, '/secret')]);
  });
});

describe('webhook deliveries', () => {
  test('webhook deliveries include pings, are listed by status page by page, and can be sent again', async () => {
    const id = await idOf();
    for (let n = 0; n < 3; n++) {
      const pinged = await api.as('user').post(`/api/webhooks/${id}/ping`, {});
      expect(pinged).toMatchObject({ status: 202, body: { type: 'webhook.ping', status: 'pending', attempts: [] } });
    }
    const list = async (query: string) => await api.as('user').get(`/api/webhooks/${id}/deliveries?${query}`);
    const first = await list('status=pending&limit=2');
    const rest = await list(`status=pending&limit=2&cursor=${textAt(first.body, '/nextCursor')}`);
    const ids = [first, rest].flatMap(({ body }) => listAt(body, '/items').map((item) => textAt(item, '/id')));
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
    expect((await list('status=failed')).body).toEqual({ items: [], nextCursor: null });
    expect(issuePathsOf(await list('state=failed'))).toEqual(['/state']);
    const replayed = await api.as('user').post(`/api/webhooks/${id}/deliveries/${ids[0]}/replay`, {});
    expect(replayed).toMatchObject({ status: 202, body: { id: ids[0], status: 'pending' } });
    const unknown = await api.as('user').post(`/api/webhooks/${id}/deliveries/none/replay`, {});
    expect(unknown).toMatchObject(aProblem(404, 'NOT_FOUND'));
    expect(unknown.body).toMatchObject({ detail: 'There is no "none" among the deliveries of this webhook' });
  });
});
