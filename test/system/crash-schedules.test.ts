import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listIn, textIn } from '../../src/dev/demo/run-ticket.ts';
import { toJson } from '../../src/graph/values/json.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startCluster } from '../support/servers/cluster.ts';
import type { Cluster, VictimName } from '../support/servers/cluster.ts';

/* A schedule fires once at each of its times, and its overlap policy holds, whatever is killed at that moment. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  const ask = { ask: { type: 'approval', title: 'Pay?' }, pay: refund('A-1004') } as const;
  await post('/api/graphs', toJson(aDefinition({ name: 'asking', nodes: ask })));
  await post('/api/graphs', toJson(aDefinition({ name: 'paying', nodes: { pay: refund('A-1001') } })));
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

const post = async (path: string, body: ReturnType<typeof toJson>): Promise<JsonObject> =>
  await cluster.as('user').post(path, body);
const get = async (path: string): Promise<JsonObject> => await cluster.as('user').get(path);
const create = async (terms: JsonObject): Promise<string> => textIn(await post('/api/schedules', terms), 'id');
const trigger = async (id: string): Promise<JsonObject> => await post(`/api/schedules/${id}/trigger`, {});
const lastRuns = async (id: string) => listIn(await get(`/api/schedules/${id}`), 'lastRuns');

/** For `expect.poll`: a killed process takes a while to restart. */
const PATIENTLY = { interval: 50, timeout: 90_000 };

async function until(runId: string, status: string): Promise<void> {
  await expect.poll(async () => textIn(await get(`/api/runs/${runId}`), 'status'), PATIENTLY).toBe(status);
}

async function restart(victims: readonly VictimName[], meanwhile = async (): Promise<unknown> => undefined) {
  await Promise.all(victims.map(async (victim) => await cluster.victims[victim].kill()));
  const result = await meanwhile();
  for (const victim of victims) await cluster.victims[victim].start();
  return result;
}

/** The refunded orders, in order. */
async function paidBack(): Promise<string[]> {
  return listIn(await cluster.accounts.get('/refunds'), 'refunds').map((one) => textIn(one, 'order'));
}

describe.each<{ victims: readonly VictimName[]; who: string }>([
  { victims: ['worker', 'api'], who: 'worker and API' },
  { victims: ['worker', 'api', 'temporal'], who: 'worker, API and Temporal' },
])('killed: $who', ({ victims }) => {
  test('right after a run was accepted, which continues, and delays other fires until it has ended', async () => {
    const id = await create({ graph: 'asking', every: '366d' });
    const runId = textIn(await trigger(id), 'runId');
    await restart(victims);
    await until(runId, 'waiting');
    expect(await trigger(id)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
    await cluster.as('approver').post(`/api/runs/${runId}/approve`, {});
    await until(runId, 'completed');
    expect(await paidBack()).toEqual(['A-1004']);
    await expect.poll(async () => (await trigger(id))['outcome'], { ...PATIENTLY, interval: 1_100 }).toBe('started');
  }, 180_000);
});

test('a fire that is due while no worker runs starts one run when a worker starts', async () => {
  const id = await create({ graph: 'paying', every: '366d' });
  const asked = await restart(['worker'], async () => await trigger(id));
  expect(asked).toMatchObject({ outcome: 'pending' });
  await expect.poll(async () => await lastRuns(id), PATIENTLY).toMatchObject([{ status: 'completed' }]);
  expect(await paidBack()).toEqual(['A-1001']);
}, 120_000);

test('fires that are missed while Temporal is down are caught up, each once', async () => {
  const id = await create({ graph: 'paying', every: '5s', overlap: 'allow' });
  await expect.poll(async () => await lastRuns(id), PATIENTLY).not.toEqual([]);
  const missed = await restart(['temporal'], async () => {
    const from = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    return Math.ceil(from / 5_000) * 5_000;
  });
  const at = new Date(Number(missed)).toISOString();
  const runs = async () =>
    listIn(await get(`/api/runs?metadata=schedule:${id}`), 'items').map((run) => JSON.stringify(run));
  const ofMissed = async () => (await runs()).filter((run) => run.includes(at)).length;
  await expect.poll(ofMissed, PATIENTLY).toBe(1);
}, 180_000);
