import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { Client } from '../../../src/client/index.ts';
import { StateGraph } from '../../../src/builder/state-graph.ts';
import { readDescription } from '../../support/readers/api-description.ts';
import { startTestApi } from '../../support/servers/test-api.ts';
import type { TestApi } from '../../support/servers/test-api.ts';

/* The client against the API in memory. Temporal is unavailable, so runs are accepted and stay queued. */

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await startTestApi();
  client = createClient({
    baseUrl: 'http://127.0.0.1',
    token: api.tokens.admin,
    fetch: async (url, init) => await api.request(url, init),
  });
});
afterAll(async () => {
  await api.stop();
});

const named = (name: string) =>
  new StateGraph({ name, channels: { a: {} } })
    .addNode('one', { type: 'set', write: { a: 1 } })
    .addSequence(['__start__', 'one', '__end__']);

describe('graphs', () => {
  test('the client publishes, reads, draws and lists graphs page by page', async () => {
    for (const name of ['a', 'b', 'c']) await client.graphs.publish(named(name));
    expect(await client.graphs.get('b', 1)).toMatchObject({ name: 'b', definition: named('b').toJSON() });
    expect(await client.graphs.diagram('b', { format: 'plantuml' })).toContain('@startuml');
    const listing = client.graphs.list({ limit: 2 });
    const names: string[] = [];
    for await (const { name } of listing) names.push(name);
    const { items, nextCursor } = await listing.page();
    expect([names, items.length, nextCursor]).toEqual([['a', 'b', 'c'], 2, expect.any(String)]);
  });

  test('the client throws the issues of an invalid graph', async () => {
    const wrong = { name: 'wrong', nodes: {}, edges: [{ from: '__start__', to: 'nobody' }] };
    const { issues } = await client.graphs.validate(wrong);
    expect(issues.length).toBeGreaterThan(0);
    await expect(client.graphs.publish(wrong)).rejects.toMatchObject({ code: 'INVALID_GRAPH', status: 422, issues });
  });
});

describe('runs', () => {
  test('the client starts a run once per idempotency key, and reads it', async () => {
    const start = async () => await client.runs.start({ graph: named('x').toJSON() }, { idempotencyKey: 'once' });
    const [run, again] = [await start(), await start()];
    expect(again.id).toBe(run.id);
    expect(await client.runs.get(run.id)).toMatchObject({ status: 'queued', graph: { name: 'x' } });
    expect(await client.runs.list({ graph: 'x', status: 'queued' }).page()).toMatchObject({ items: [{ id: run.id }] });
    expect(await client.runs.wait(run.id, { timeoutMs: 10 })).toMatchObject({ status: 'queued' });
  });

  test('the client throws an error with a code for an unknown run', async () => {
    await expect(client.runs.get('nothing')).rejects.toMatchObject({ code: 'UNKNOWN_RUN', status: 404 });
    await expect(client.threads.get('nothing')).rejects.toMatchObject({ code: 'UNKNOWN_THREAD' });
    await expect(client.approvals.get('nothing')).rejects.toMatchObject({ code: 'UNKNOWN_APPROVAL' });
  });
});

/**
 * Routes without a method of the client: probes, editors, the console's sign-in, other systems and `useChat`; streams
 * have their own tests.
 */
const WITHOUT_CLIENT = [
  'GET /api/chat/{graph}/{threadId}/stream',
  'GET /api/chat/{threadId}/stream',
  'GET /api/events',
  'GET /api/runs/{id}/events',
  'GET /console/config.json',
  'GET /healthz',
  'GET /metrics',
  'GET /readyz',
  'GET /schemas/graph-definition.json',
  'POST /api/chat/{graph}',
  'POST /api/hooks/{id}',
  'POST /console/local-sign-in',
];

/** Makes each call of the client, each to its own route. */
async function callAll(client: Client): Promise<void> {
  const { runs, approvals, graphs, threads, tools, interventions, memory } = client;
  const { webhooks, hooks, files, schedules, admin } = client;
  const lists = [
    [runs.calls('r', { kind: 'tool' })],
    [runs.list(), runs.history('r'), runs.checkpoints('r'), threads.runs('t'), threads.checkpoints('t')],
    [approvals.list(), graphs.list(), tools.list(), interventions.list()],
  ].flat();
  await Promise.all(lists.map(async (list) => await list.page()));
  await Promise.all([
    runs.get('r'),
    runs.state('r'),
    runs.graph('r'),
    runs.recording('r'),
    runs.diff('r', 's'),
    runs.explain('r'),
  ]);
  await Promise.all([threads.get('t'), threads.state('t'), threads.messages('t')]);
  await Promise.all([approvals.get('a'), graphs.diagram('g')]);
  await Promise.all([graphs.get('g'), graphs.get('g', 1), graphs.publish({}), graphs.validate({})]);
  await Promise.all([runs.pause('r'), runs.resume('r'), runs.cancel('r'), runs.retry('r'), runs.fail('r')]);
  await Promise.all([runs.replan('r', { node: 'n' }), runs.signal('r', { event: 'e' }), runs.skip('r', { output: 1 })]);
  await Promise.all([runs.approve('r'), runs.reject('r'), approvals.decide({ id: 'a' }, { decision: 'approve' })]);
  await Promise.all([runs.start({ graph: 'g' }), runs.fork('r', { checkpoint: 'c' }), runs.replay('r')]);
  await Promise.all([graphs.versions('g').page(), graphs.diff('g', { from: 1, to: 2 }), graphs.unpublish('g', 1)]);
  await Promise.all([
    graphs.aliases('g').page(),
    graphs.alias('g', 'a'),
    graphs.setAlias('g', { alias: 'a', version: 1 }),
  ]);
  await Promise.all([graphs.removeAlias('g', 'a'), runs.streamTicket('r')]);
  await Promise.all([memory.put('n', { key: 'k', value: 1 }), memory.get('n', 'k'), memory.remove('n', 'k')]);
  await Promise.all([runs.bulk({ action: 'cancel', ids: ['r'] }), approvals.decideMany([])]);
  await Promise.all([webhooks.add({ url: 'https://a.example', events: ['run.failed'] }), webhooks.get('w')]);
  await Promise.all([webhooks.list().page(), webhooks.deliveries('w').page(), webhooks.replay('w', 'd')]);
  await Promise.all([webhooks.rotate('w'), webhooks.enable('w'), webhooks.ping('w'), webhooks.remove('w')]);
  await Promise.all([files.store(new Blob(['x'])), files.read('f')]);
  await Promise.all([approvals.comment('a', 'c'), approvals.remind('a'), approvals.reassign('a', { users: ['u'] })]);
  await Promise.all([memory.list('n').page(), runs.call('r', 'k')]);
  await Promise.all([schedules.create({ graph: 'g', every: '1h' }), schedules.get('s'), schedules.remove('s')]);
  await Promise.all([schedules.change('s', { paused: true }), schedules.trigger('s'), schedules.list().page()]);
  await Promise.all([schedules.backfill('s', { from: 'f', to: 't' }), graphs.test('g', {})]);
  await hooks.put('h', { scheme: 'github', secret: { secret: 'KEY' }, event: { run: 'r', name: 'e' } });
  await Promise.all([admin.runs().page(), admin.run('r'), admin.ledger('r').page(), admin.prune({ dryRun: true })]);
  await Promise.all([hooks.get('h'), hooks.list().page(), hooks.remove('h')]);
  await Promise.all([admin.audit().page(), admin.tenants().page(), admin.tenant('t'), admin.setTenant('t', {})]);
  await Promise.all([admin.switches().page(), admin.removeTenant('t')]);
  await admin.setSwitch({ kind: 'tool', name: 't', state: 'off', reason: 'r' });
  await admin.removeSwitch({ kind: 'tool', name: 't' });
  await runs.edit('r', { etag: '"e"', values: {} });
}

test('every route of the API has a method of the client', async () => {
  const asked: string[] = [];
  const fetch = async (url: string, { method = 'GET' }: RequestInit): Promise<Response> => {
    asked.push(`${method} ${new URL(url).pathname}`);
    return Response.json({ decisions: [], items: [], nextCursor: null, results: [] });
  };
  await callAll(createClient({ baseUrl: 'http://127.0.0.1', token: '', fetch }));
  const { routes } = await readDescription(api.stranger);
  const isAsked = (route: string): boolean => {
    const pattern = new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return asked.some((request) => pattern.test(request));
  };
  expect(routes.filter((route) => !isAsked(route)).toSorted()).toEqual(WITHOUT_CLIENT);
});
