import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listIn, textIn } from '../../src/dev/demo/run-ticket.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startCluster } from '../support/servers/cluster.ts';
import type { Cluster, VictimName } from '../support/servers/cluster.ts';

/*
 * Everything that the API has accepted is completed, whatever is killed at that moment: a retry, a fork, a run that is
 * queued on a thread. The shop has recorded each refund as often as intended.
 */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);
afterAll(async () => await cluster.stop(), 60_000);
beforeEach(async () => await cluster.resetShop());

const refund = (order: string) =>
  ({
    type: 'tool',
    tool: 'issue_refund',
    args: { order, amount: 1, reason: 'test' },
    write: { log: '{{ result.order }}' },
    retry: { maxAttempts: 1 },
  }) as const;

/** A graph that refunds three orders one after the other. */
const paying = toJson(aDefinition({ nodes: { a: refund('A-1001'), b: refund('A-1002'), c: refund('A-1003') } }));
/** The same graph, but it waits for an event after the first refund. */
const payingInParts = toJson(
  aDefinition({
    nodes: { a: refund('A-1001'), wait: { type: 'wait', event: 'go' }, b: refund('A-1002'), c: refund('A-1003') },
  }),
);
/** A graph with an approval and then one refund. */
const asking = toJson(aDefinition({ nodes: { ask: { type: 'approval', title: 'Pay?' }, d: refund('A-1004') } }));

const post = async (path: string, body: Json): Promise<JsonObject> => await cluster.as('user').post(path, body);
const get = async (path: string): Promise<JsonObject> => await cluster.as('user').get(path);
const startRun = async (body: JsonObject): Promise<string> => textIn(await post('/api/runs', body), 'id');

/** For `expect.poll`: a killed process takes a while to restart. */
const PATIENTLY = { interval: 50, timeout: 90_000 };

async function until(id: string, status: string): Promise<void> {
  await expect.poll(async () => textIn(await get(`/api/runs/${id}`), 'status'), PATIENTLY).toBe(status);
}

/** The refunded orders, in order. */
async function paidBack(): Promise<string[]> {
  return listIn(await cluster.accounts.get('/refunds'), 'refunds').map((one) => textIn(one, 'order'));
}

/** A request to the API. */
interface Request {
  /** @returns the id of the run that must be completed */
  readonly ask: () => Promise<string>;
  readonly isAccepted: () => Promise<boolean>;
  /** The actions of people when everything is back. */
  readonly afterwards?: () => Promise<unknown>;
}

async function prepareRetry(): Promise<Request> {
  const id = await startRun({ graph: payingInParts });
  await until(id, 'waiting');
  await cluster.accounts.post('/faults', { path: '/refunds', status: 409, times: 1 });
  await post(`/api/runs/${id}/signal`, { event: 'go' });
  await until(id, 'failed');
  return {
    ask: async () => textIn(await post(`/api/runs/${id}/retry`, {}), 'id'),
    isAccepted: async () => (await get(`/api/runs/${id}`))['status'] === 'running',
  };
}

async function prepareFork(): Promise<Request> {
  const id = await startRun({ graph: paying });
  await until(id, 'completed');
  const checkpoints = listIn(await get(`/api/runs/${id}/checkpoints`), 'items');
  const beforeLast = checkpoints.find((one) => JSON.stringify(one).includes('"next":["c"]'));
  const checkpoint = textIn(beforeLast ?? null, 'id');
  return {
    ask: async () => textIn(await post(`/api/runs/${id}/fork`, { checkpoint }), 'id'),
    isAccepted: async () => listIn(await get(`/api/runs/${id}`), 'forks').length > 0,
  };
}

let threads = 0;

async function prepareQueued(): Promise<Request> {
  const threadId = `thread-${++threads}`;
  const active = await startRun({ graph: asking, threadId });
  await until(active, 'waiting');
  return {
    ask: async () => await startRun({ graph: paying, threadId, onBusy: 'enqueue' }),
    isAccepted: async () => listIn(await get(`/api/threads/${threadId}`), 'queued').length > 0,
    afterwards: async () => await cluster.as('approver').post(`/api/runs/${active}/approve`, {}),
  };
}

const REQUESTS = [
  { what: 'retry', prepare: prepareRetry, paid: ['A-1001', 'A-1002', 'A-1003'] },
  { what: 'fork', prepare: prepareFork, paid: ['A-1001', 'A-1002', 'A-1003', 'A-1003'] },
  { what: 'queued run', prepare: prepareQueued, paid: ['A-1004', 'A-1001', 'A-1002', 'A-1003'] },
];

const VICTIMS: readonly (readonly VictimName[])[] = [
  ['api', 'worker'],
  ['api', 'worker', 'temporal'],
];

describe.each(VICTIMS.map((victims) => ({ victims, who: victims.join(' and ') })))(
  'the processes $who that are killed',
  ({ victims }) => {
    test.each(REQUESTS)(
      'a $what that was accepted right before its processes are killed completes without help of a person',
      async ({ prepare, paid }) => {
        const { ask, afterwards } = await prepare();
        const id = await ask();
        await Promise.all(victims.map(async (victim) => await cluster.victims[victim].kill()));
        for (const victim of victims) await cluster.victims[victim].start();
        await afterwards?.();
        await until(id, 'completed');
        expect(await paidBack()).toEqual(paid);
      },
      120_000,
    );
  },
);

test.each(REQUESTS)(
  'an API that is killed while Temporal is down still completes a $what that it had accepted',
  async ({ prepare, paid }) => {
    const { ask, isAccepted, afterwards } = await prepare();
    await cluster.victims.temporal.kill();
    const asked = ask();
    await expect.poll(isAccepted, PATIENTLY).toBe(true);
    await cluster.victims.api.kill();
    await cluster.victims.temporal.start();
    await cluster.victims.api.start();
    await afterwards?.();
    await until(await asked, 'completed');
    expect(await paidBack()).toEqual(paid);
  },
  120_000,
);
