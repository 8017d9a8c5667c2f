import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { contentHash } from '../../../../src/api/http/fingerprints.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import type { ApiAnswer } from '../../../support/readers/api-client.ts';
import { listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ models: { default: { provider: 'openai', model: 'm' } } });
  const channels = { messages: { reducer: 'messages' } } as const;
  await api.as('user').post('/api/graphs', aDefinition({ name: 'mine' }));
  const nodes = { n: { type: 'llm', messages: 'messages' } } as const;
  await api
    .as('user')
    .post('/api/graphs', aDefinition({ name: 'chat', channels, nodes, edges: [{ from: '__start__', to: 'n' }] }));
});
afterAll(async () => await api.stop());
beforeEach(async () => await say('DELETE'));

/** Sets or deletes the terms of the tenant. */
async function say(method: 'PUT' | 'DELETE', terms?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = terms && JSON.stringify(terms);
  await api.as('admin').send('/admin/tenants/demo', { method, headers, ...(body && { body }) });
}

const start = async (key: string, metadata = {}): Promise<ApiAnswer> =>
  await api.as('user').post('/api/runs', { graph: 'mine', metadata }, { 'idempotency-key': key });

const runsOf = async (graph: string) => listAt((await api.as('user').get(`/api/runs?graph=${graph}`)).body, '/items');

/** Makes the next request end before its answer is stored; afterwards, its key can be used again at once. */
async function dying<T>(route: string, key: string, request: () => Promise<T>): Promise<T> {
  const keep = vi.spyOn(api.store.idempotency, 'keep').mockRejectedValueOnce(new Error('the process is gone'));
  const answer = await request();
  keep.mockRestore();
  const past = '2026-01-01T00:00:00.000Z';
  await api.store.idempotency.lease({ tenantId: 'demo', subject: 'uma', route, key }, past);
  return answer;
}

test.each([
  ['suspended', { suspended: { reason: 'The bill is open' } }],
  ['without quota', { runsPerMinute: 0 }],
])('a repeated start request is answered with its accepted run, also while its tenant is %s', async (_name, terms) => {
  const key = Object.keys(terms).join('');
  const first = await dying('POST /api/runs', key, async () => await start(key));
  await say('PUT', terms);
  const again = await start(key);
  expect([again.status, textAt(again.body, '/id')]).toEqual([201, textAt(first.body, '/id')]);
  expect((await start(`${key} other`)).status).toBeGreaterThanOrEqual(403);
});

test('a repeated request that is refused keeps its idempotency key, and a refused first attempt does not', async () => {
  const broken = vi.spyOn(api.store.runs, 'create').mockRejectedValueOnce(new Error('the database is away'));
  expect((await start('kept')).status).toBe(500);
  broken.mockRestore();
  await say('PUT', { runsPerMinute: 0 });
  expect((await start('kept')).status).toBe(429);
  expect((await start('first')).status).toBe(429);
  await say('DELETE');
  expect(await start('kept', { other: true })).toMatchObject(aProblem(422, 'IDEMPOTENCY_KEY_REUSED'));
  expect((await start('kept')).status).toBe(201);
  expect((await start('first', { other: true })).status).toBe(201);
});

test('a repeated chat message is answered with the run that it has started', async () => {
  const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
  const request = async (): Promise<number> => {
    const answer = await api.request('/api/chat/chat', {
      method: 'POST',
      headers: { authorization: `Bearer ${api.tokens.user}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 't', messages: [message] }),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  expect(await dying('POST /api/chat', 't/m', request)).toBe(500);
  await say('PUT', { suspended: { reason: 'The bill is open' } });
  expect(await request()).toBe(200);
  expect(await runsOf('chat')).toHaveLength(1);
});

test('a repeated request for an accepted fork is answered even if the fork could not start any more', async () => {
  const [parent, id] = [textAt((await start('parent')).body, '/id'), textAt((await start('fork')).body, '/id')];
  const route = `POST /api/runs/${parent}/fork`;
  const body = { checkpoint: 'gone' };
  const at = '2026-01-01T00:00:00.000Z';
  await api.store.idempotency.admit({
    tenantId: 'demo',
    subject: 'root',
    route,
    key: 'once',
    fingerprint: contentHash(['whole', body]),
    resourceId: id,
    at,
    leaseUntil: at,
  });
  const fork = async (key: string) =>
    await api.as('admin').post(`/api/runs/${parent}/fork`, body, { 'idempotency-key': key });
  expect(await fork('once')).toMatchObject({ status: 201, body: { id } });
  expect((await fork('other')).status).toBe(404);
});

/** A text without repetitions, which index compression can't shorten. */
const aLongId = Array.from({ length: 70 }, (_, at) => contentHash(at)).join('');

test.each([
  ['a long id', aLongId],
  ['a NUL', '%00'],
  ['letters of another script', encodeURIComponent('жук'.repeat(400))],
])('a request about a missing resource has one answer for its idempotency key: %s', async (_what, id) => {
  const cancel = async (path: string) =>
    await api.as('user').post(`/api/runs/${path}/cancel`, {}, { 'idempotency-key': 'far' });
  expect(await cancel(id)).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
  const again = await cancel(id);
  expect(again).toMatchObject(aProblem(404, 'UNKNOWN_RUN', { 'idempotent-replayed': /^true$/ }));
  const other = await cancel(`${id}x`);
  expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([404, null]);
});
