import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiAnswer, ApiClient } from '../support/readers/api-client.ts';
import { readDescription } from '../support/readers/api-description.ts';
import type { ApiDescription } from '../support/readers/api-description.ts';
import { hasStatus, postRun, startAsking } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startIssuingStack } from '../support/servers/issuing-stack.ts';
import type { IssuingStack } from '../support/servers/issuing-stack.ts';
import { aProblem } from '../support/readers/problems.ts';

let stack: IssuingStack;
let stranger: ApiClient;
let api: ApiDescription;
beforeAll(async () => {
  stack = await startIssuingStack();
  const plain = createApiClient(stack.baseUrl, null);
  api = await readDescription(plain);
  stranger = api.watch(plain);
});
afterAll(async () => {
  await stack.stop();
});

const PEOPLE = {
  user: { sub: 'uma', tenant: 'demo', roles: ['user'] },
  approver: { sub: 'ada', tenant: 'demo', roles: ['approver'] },
  admin: { sub: 'root', tenant: 'demo', roles: ['admin'] },
  otherUser: { sub: 'olaf', tenant: 'other', roles: ['user'] },
  otherApprover: { sub: 'oda', tenant: 'other', roles: ['approver'] },
  otherAdmin: { sub: 'otto', tenant: 'other', roles: ['admin'] },
  nobody: { sub: 'nick', tenant: 'demo', roles: [] },
} as const;

/*
 * The expected status of each caller at each route, in the order of PEOPLE. The run has ended and its approval is
 * decided, so that callers who may control or decide get 409. An admin's ids reach across tenants, names refer to the
 * admin's own tenant.
 */
const READ = [200, 200, 200, 200, 200, 200, 403] as const;
const READ_BY_NAME = [200, 200, 200, 404, 404, 404, 403] as const;
const READ_BY_ID = [200, 200, 200, 404, 404, 200, 403] as const;
const ADMIN = [403, 403, 200, 403, 403, 200, 403] as const;
/** Their `Last-Event-ID` is invalid. */
const STREAM = [400, 400, 400, 400, 400, 400, 403] as const;
const PUBLISH = [204, 403, 204, 404, 403, 404, 403] as const;
const CONTROL = [409, 403, 409, 404, 403, 409, 403] as const;
const DECIDE = [403, 409, 409, 403, 404, 409, 403] as const;
const START_BY_ID = [202, 403, 202, 404, 403, 202, 403] as const;
const QUIET = READ.map((status) => (status === 200 ? 204 : status));
const CHAT = { id: 'talk', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] };
const DECISIONS = { decisions: [{ approvalId: 'none', decision: 'approve' }] };
const WEBHOOK = [200, 403, 200, 404, 403, 200, 403] as const;
const WEBHOOK_SENDS = WEBHOOK.map((status) => (status === 200 ? 202 : status));
const NEW_WEBHOOK = { url: 'https://hooks.example.com', events: ['run.failed'] };
const NEW_HOOK = { scheme: 'github', secret: { secret: 'NOBODY_HAS_IT' }, event: { run: 'none', name: 'paid' } };
const MATRIX: readonly [string, readonly number[], object?][] = [
  ['GET /api/graphs', READ],
  ['POST /api/graphs', [200, 403, 200, 200, 403, 200, 403], aDefinition({ name: 'known' })],
  ['POST /api/graphs/validate', READ, aDefinition()],
  ['POST /api/graphs/{name}/test', [200, 403, 200, 404, 403, 404, 403], {}],
  ['GET /api/graphs/{name}', READ_BY_NAME],
  ['GET /api/graphs/{name}/versions/{version}', READ_BY_NAME],
  ['GET /api/graphs/{name}/diagram', READ_BY_NAME],
  ['GET /api/graphs/{name}/versions', READ_BY_NAME],
  ['GET /api/graphs/{name}/diff', READ_BY_NAME],
  ['GET /api/graphs/{name}/aliases', READ],
  ['GET /api/graphs/{name}/aliases/{alias}', READ_BY_NAME],
  ['PUT /api/graphs/{name}/aliases/{alias}', [200, 403, 200, 404, 403, 404, 403], { version: 1 }],
  ['POST /api/chat/{graph}', [422, 403, 422, 404, 403, 404, 403], CHAT],
  ['GET /api/chat/{threadId}/messages', READ],
  ['GET /api/chat/{threadId}/stream', QUIET],
  ['GET /api/chat/{graph}/{threadId}/stream', QUIET],
  ['GET /api/events', STREAM],
  ['GET /api/runs/{id}/events', READ_BY_ID.map((status) => (status === 200 ? 400 : status))],
  ['POST /api/runs/{id}/stream-ticket', READ_BY_ID.map((status) => (status === 200 ? 201 : status)), {}],
  ['PUT /api/memory/{namespace}/{key}', [200, 403, 200, 200, 403, 200, 403], { value: 1 }],
  ['GET /api/memory/{namespace}/{key}', READ],
  ['GET /api/memory/{namespace}', READ],
  ['POST /api/webhooks', [201, 403, 201, 201, 403, 201, 403], NEW_WEBHOOK],
  ['GET /api/webhooks', [200, 403, 200, 200, 403, 200, 403]],
  ['GET /api/webhooks/{id}', WEBHOOK],
  ['POST /api/webhooks/{id}/rotate', WEBHOOK, {}],
  ['POST /api/webhooks/{id}/enable', WEBHOOK, {}],
  ['POST /api/webhooks/{id}/ping', WEBHOOK_SENDS, {}],
  ['GET /api/webhooks/{id}/deliveries', WEBHOOK],
  ['POST /api/webhooks/{id}/deliveries/{deliveryId}/replay', WEBHOOK_SENDS, {}],
  ['POST /api/blobs', [201, 403, 201, 201, 403, 201, 403], {}],
  ['GET /api/blobs/{id}', [200, 403, 200, 404, 403, 200, 403]],
  ['POST /api/schedules', [201, 403, 201, 404, 403, 404, 403], { graph: 'mine', every: '366d' }],
  ['GET /api/schedules', READ],
  ['GET /api/schedules/{id}', READ_BY_ID],
  ['PATCH /api/schedules/{id}', START_BY_ID.map((status) => (status === 202 ? 200 : status)), {}],
  ['POST /api/schedules/{id}/trigger', START_BY_ID, {}],
  ['POST /api/schedules/{id}/backfill', START_BY_ID, { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
  ['PUT /api/hooks/{id}', [200, 403, 200, 200, 403, 200, 403], NEW_HOOK],
  ['GET /api/hooks', [200, 403, 200, 200, 403, 200, 403]],
  ['GET /api/hooks/{id}', [200, 403, 200, 200, 403, 200, 403]],
  ['POST /api/hooks/{id}', Array.from({ length: 7 }, () => 401), { action: 'opened' }],
  ['POST /api/runs/bulk', [200, 403, 200, 200, 403, 200, 403], { action: 'cancel', ids: ['none'] }],
  ['POST /api/approvals/decisions', [403, 200, 200, 403, 200, 200, 403], DECISIONS],
  ['GET /api/runs', READ],
  ['POST /api/runs', [201, 403, 201, 404, 403, 404, 403], { graph: 'mine' }],
  ['GET /api/runs/{id}', READ_BY_ID],
  ['GET /api/runs/{id}/graph', READ_BY_ID],
  ['GET /api/runs/{id}/state', READ_BY_ID],
  ['GET /api/runs/{id}/history', READ_BY_ID],
  ['GET /api/runs/{id}/checkpoints', READ_BY_ID],
  ['PATCH /api/runs/{id}/state', CONTROL.map((status) => (status === 403 ? 403 : 428)), { values: {} }],
  ['POST /api/runs/{id}/fork', CONTROL.map((status) => (status === 409 ? 404 : status)), { checkpoint: 'none' }],
  ['GET /api/runs/{id}/diff', READ_BY_ID],
  ['GET /api/runs/{id}/recording', ADMIN],
  ['GET /api/runs/{id}/explain', READ_BY_ID],
  ['GET /api/runs/{id}/calls', READ_BY_ID],
  ['GET /api/runs/{id}/calls/{key}', READ_BY_ID.map((status) => (status === 200 ? 404 : status))],
  ['POST /api/runs/{id}/replay', [201, 403, 201, 404, 403, 201, 403], {}],
  ['POST /admin/prune', ADMIN, { dryRun: true }],
  ['GET /admin/runs', ADMIN],
  ['GET /admin/runs/{id}', ADMIN],
  ['GET /admin/runs/{id}/ledger', ADMIN],
  ['GET /admin/audit', ADMIN],
  ['GET /admin/tenants', ADMIN],
  ['GET /admin/tenants/{id}', ADMIN],
  ['PUT /admin/tenants/{id}', ADMIN, { runsPerMinute: null }],
  ['GET /admin/switches', ADMIN],
  ['PUT /admin/switches/{kind}/{name}', ADMIN, { state: 'on', reason: 'none' }],
  ['GET /api/threads/{id}', READ_BY_NAME],
  ['GET /api/threads/{id}/state', READ_BY_NAME],
  ['GET /api/threads/{id}/checkpoints', READ_BY_NAME],
  ['GET /api/threads/{id}/runs', READ_BY_NAME],
  ['POST /api/runs/{id}/pause', CONTROL, {}],
  ['POST /api/runs/{id}/resume', CONTROL, {}],
  ['POST /api/runs/{id}/replan', CONTROL, { node: 'a' }],
  ['POST /api/runs/{id}/signal', CONTROL, { event: 'paid' }],
  ['POST /api/runs/{id}/cancel', CONTROL, {}],
  ['POST /api/runs/{id}/retry', CONTROL, {}],
  ['POST /api/runs/{id}/skip', CONTROL, { output: null }],
  ['POST /api/runs/{id}/fail', CONTROL, {}],
  ['POST /api/runs/{id}/approve', DECIDE, {}],
  ['POST /api/runs/{id}/reject', DECIDE, {}],
  ['GET /api/tools', READ],
  ['GET /api/approvals', READ],
  ['GET /api/interventions', READ],
  ['GET /api/approvals/{id}', READ_BY_ID],
  ['POST /api/approvals/{id}/decision', DECIDE, { decision: 'approve' }],
  ['POST /api/approvals/{id}/comment', READ_BY_ID, { text: 'why?' }],
  ['POST /api/approvals/{id}/remind', READ_BY_ID.map((status) => (status === 200 ? 409 : status)), {}],
  ['POST /api/approvals/{id}/reassign', DECIDE, { users: ['u'] }],
  // Resources that other routes need are deleted last.
  ['DELETE /api/webhooks/{id}', [204, 403, 204, 204, 403, 204, 403]],
  ['DELETE /api/schedules/{id}', [204, 403, 204, 204, 403, 204, 403]],
  ['DELETE /admin/tenants/{id}', ADMIN.map((status) => (status === 200 ? 204 : status))],
  ['DELETE /admin/switches/{kind}/{name}', ADMIN.map((status) => (status === 200 ? 204 : status))],
  ['DELETE /api/hooks/{id}', [204, 403, 204, 204, 403, 204, 403]],
  ['DELETE /api/memory/{namespace}/{key}', [204, 403, 204, 204, 403, 204, 403]],
  ['DELETE /api/graphs/{name}/aliases/{alias}', PUBLISH.map((status) => (status === 404 ? 204 : status))],
  ['DELETE /api/graphs/{name}/versions/{version}', PUBLISH],
];

/** Routes whose paths have names. A name is unique within a tenant only, so it means one of the caller's own tenant. */
const NAMES = ['graphs', 'chat', 'threads', 'memory', 'hooks'].map((resource) => `/api/${resource}/`);
const isByName = (route: string): boolean => NAMES.some((start) => route.includes(` ${start}`));
/** Routes whose paths have ids, which are unique in the installation. */
const BY_ID = MATRIX.filter(([route]) => route.includes('{id}') && route.includes(' /api/') && !isByName(route));
const BY_NAME = MATRIX.filter(([route]) => route.includes('{') && isByName(route));
/** What reveals nothing: no permission, no such thing, no `If-Match`, and a deletion of what is not there. */
const REVEALS_NOTHING = [403, 404, 428, 204];

const PUBLIC = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /schemas/graph-definition.json',
  'GET /console/config.json',
];
/** A route for callers without a token; it has tests of its own. */
const BY_CODE = ['POST /console/local-sign-in'];

describe('permissions', () => {
  let clients: readonly (readonly [string, ApiClient])[];
  let ended: { readonly runId: string; readonly approvalId: string };
  let fileId: string;
  let scheduleId: string;
  let webhookId: string;
  let deliveryId: string;

  beforeAll(async () => {
    const people = Object.entries(PEOPLE).map(
      async ([name, person]) => [name, api.watch(await stack.as(person))] as const,
    );
    clients = await Promise.all(people);
    const [user, approver] = [await stack.as(PEOPLE.user), await stack.as(PEOPLE.approver)];
    ended = await startAsking(user);
    await approver.post(`/api/approvals/${ended.approvalId}/decision`, { decision: 'approve' });
    await user.untilRun(ended.runId, hasStatus('completed'));
    await user.post('/api/graphs', aDefinition({ name: 'mine' }));
    await user.send('/api/graphs/mine/aliases/live', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version: 1 }),
    });
    await postRun(user, { graph: 'mine', threadId: 'talk' });
    const admin = await stack.as(PEOPLE.admin);
    await enter(admin, 'PUT /admin/tenants/{id}', { runsPerMinute: null });
    await enter(admin, 'PUT /admin/switches/{kind}/{name}', { state: 'on', reason: 'none' });
    fileId = textAt((await user.post('/api/blobs', 'a file')).body, '/id');
    const scheduled = await user.post('/api/schedules', { graph: 'mine', every: '366d', overlap: 'allow' });
    scheduleId = textAt(scheduled.body, '/id');
    webhookId = textAt((await user.post('/api/webhooks', NEW_WEBHOOK)).body, '/id');
    deliveryId = textAt((await user.post(`/api/webhooks/${webhookId}/ping`, {})).body, '/id');
    for (const caller of [user, await stack.as(PEOPLE.otherUser)]) {
      await caller.post('/api/graphs', aDefinition({ name: 'known' }));
      await enter(caller, 'PUT /api/hooks/{id}', NEW_HOOK);
      await caller.send('/api/memory/users/ann', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ value: 1 }),
      });
    }
  });

  const toPath = (template: string): string =>
    template
      .replace('/threads/{id}', '/threads/talk')
      .replace('/tenants/{id}', '/tenants/demo')
      .replace('{kind}', 'graph')
      .replace('/blobs/{id}', `/blobs/${fileId}`)
      .replace('/schedules/{id}', `/schedules/${scheduleId}`)
      .replace('/webhooks/{id}', `/webhooks/${webhookId}`)
      .replace('{id}', template.startsWith('/api/approvals') ? ended.approvalId : ended.runId)
      .replace('/diff', template.startsWith('/api/graphs') ? '/diff?from=1&to=1' : `/diff?with=${ended.runId}`)
      .replace('{name}', 'mine')
      .replace('{version}', '1')
      .replace('{alias}', 'live')
      .replace('{graph}', 'mine')
      .replace('{threadId}', 'talk')
      .replace('{namespace}', 'users')
      .replace('{key}', 'ann')
      .replace('{deliveryId}', deliveryId);

  async function enter(client: ApiClient, route: string, body: object | undefined): Promise<ApiAnswer> {
    const [method = '', path = ''] = route.split(' ');
    if (!body) return await client.send(toPath(path), { method, headers: { 'last-event-id': 'none' } });
    const headers = { 'content-type': 'application/json' };
    return await client.send(toPath(path), { method, headers, body: JSON.stringify(body) });
  }

  test.each(MATRIX)('the permissions of %s are as documented for each caller', async (route, statuses, body) => {
    const answers = await Promise.all(
      clients.map(async ([name, client]) => [name, await enter(client, route, body)] as const),
    );
    const given = answers.map(([name, { status }]) => [name, status]);
    expect(given).toEqual(Object.keys(PEOPLE).map((name, index) => [name, statuses[index]]));
    const code = expect.stringMatching(/^[A-Z_]+$/);
    for (const [, answer] of answers.filter(([, { status }]) => status >= 400))
      expect(answer).toMatchObject(aProblem(answer.status, code));
  });

  test.each(MATRIX)('requests for %s need a token', async (route, _statuses, body) => {
    expect(await enter(stranger, route, body)).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
  });

  test.each([...PUBLIC, 'GET /openapi.json', 'GET /docs'])('requests for %s need no token', async (route) => {
    expect(await enter(stranger, route, undefined)).toMatchObject({ status: 200 });
  });

  test.each(BY_ID)('the permissions of %s let admins use ids of all tenants, and nobody else', (route, statuses) => {
    const [, , admin, otherUser, otherApprover, otherAdmin] = statuses;
    expect([route, otherAdmin]).toEqual([route, admin]);
    expect(REVEALS_NOTHING).toEqual(expect.arrayContaining([otherUser, otherApprover]));
  });

  test.each(BY_NAME)('the permissions of %s look up the name in the own tenant, also for admins', (route, statuses) => {
    const [, , , otherUser, , otherAdmin] = statuses;
    expect([route, otherAdmin]).toEqual([route, otherUser]);
  });

  test('the permission table says of each route with a parameter if it is by id, by name or for administrators', () => {
    const told = new Set([...BY_ID, ...BY_NAME].map(([route]) => route));
    const others = MATRIX.flatMap(([route]) => (route.includes('{') && !told.has(route) ? [route] : []));
    expect(others.filter((route) => !route.includes(' /admin/'))).toEqual([]);
  });

  test('the permissions of every documented route are tested', () => {
    expect([...MATRIX.map(([route]) => route), ...PUBLIC, ...BY_CODE].toSorted()).toEqual([...api.routes].toSorted());
  });

  test("the responses for each caller's permissions are described in the OpenAPI document", () => {
    expect(api.notDescribed()).toEqual([]);
  });

  test('permissions are checked before the body and the id are validated', async () => {
    const approver = await stack.as(PEOPLE.approver);
    for (const path of ['/api/runs', '/api/runs/none/cancel', '/api/graphs'])
      expect(await approver.post(path, 'nonsense')).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });
});

test('a response stored for an Idempotency-Key is not returned to a caller who meanwhile lost the right to see it', async () => {
  const graph = aDefinition({ channels: { secret: { redact: true } }, nodes: { a: { type: 'set' } } });
  const starting = { graph, input: { secret: 'canary-4711' } };
  const send = async (role: string): Promise<ApiAnswer> =>
    await (
      await stack.as({ sub: 'zoe', tenant: 'demo', roles: [role] })
    ).post('/api/runs', starting, { 'idempotency-key': 'seen-once' });
  const first = await send('admin');
  expect(first).toMatchObject({ status: 201, body: { input: starting.input } });
  const again = await send('admin');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  const less = await send('user');
  expect(less).toMatchObject(aProblem(422, 'IDEMPOTENCY_KEY_REUSED'));
  expect(JSON.stringify(less.body)).not.toContain('canary-4711');
});
