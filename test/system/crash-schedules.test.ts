import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listIn, textIn } from '../../src/dev/demo/run-ticket.ts';
import { isJsonObject } from '../../src/graph/values/json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { FIRE_SCHEDULE } from '../../src/workflows/schedule-contract.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startCluster } from '../support/servers/cluster.ts';
import type { Cluster, VictimName } from '../support/servers/cluster.ts';

/* A schedule fires once at each of its times, and its overlap policy is applied, whichever process is killed. */

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

/** Triggers a schedule, and waits for the result of the fire. */
async function decided(id: string): Promise<JsonObject> {
  const requested = textIn(await trigger(id), 'at');
  const find = async () =>
    (await lastRuns(id)).filter(isJsonObject).find((fire) => textIn(fire, 'at') === requested) ?? {};
  await expect.poll(async () => textIn(await find(), 'outcome'), PATIENTLY).not.toBe('pending');
  return await find();
}

/** The ids of the workflows of a schedule that are open in Temporal. */
async function openFires(id: string): Promise<readonly string[]> {
  const connection = await Connection.connect({ address: cluster.temporalAddress });
  const open = new Client({ connection }).workflow.list({
    query: `WorkflowType = '${FIRE_SCHEDULE}' AND ExecutionStatus = 'Running'`,
  });
  const ids: string[] = [];
  for await (const { workflowId } of open) if (workflowId.includes(id)) ids.push(workflowId);
  await connection.close();
  return ids;
}

/** For `expect.poll`: a killed process takes a while to be back. */
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

/** The orders that were paid back, in the order in which they were. */
async function paidBack(): Promise<string[]> {
  return listIn(await cluster.accounts.get('/refunds'), 'refunds').map((one) => textIn(one, 'order'));
}

describe.each<{ victims: readonly VictimName[]; who: string }>([
  { victims: ['worker', 'api'], who: 'worker and API' },
  { victims: ['worker', 'api', 'temporal'], who: 'worker, API and Temporal' },
])('when $who are killed', ({ victims }) => {
  test('a run that was accepted for a schedule continues after its processes are killed, and other fires are skipped until it has ended', async () => {
    const id = await create({ graph: 'asking', every: '366d' });
    const runId = textIn(await trigger(id), 'runId');
    await restart(victims);
    await until(runId, 'waiting');
    expect(await decided(id)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
    await cluster.as('approver').post(`/api/runs/${runId}/approve`, {});
    await until(runId, 'completed');
    expect(await paidBack()).toEqual(['A-1004']);
    expect(await decided(id)).toMatchObject({ outcome: 'started' });
  }, 180_000);
});

test.each(['skip', 'allow', 'cancelOther'])(
  'a backfill of a schedule of `%s` starts one run for each time although the worker and the API are killed often',
  async (overlap) => {
    const id = await create({ graph: 'paying', every: '1h', paused: true, overlap });
    await post(`/api/schedules/${id}/backfill`, { from: '2026-01-01T00:00:00Z', to: '2026-01-01T11:00:00Z' });
    for (const waitMs of [0, 200, 400, 600]) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await restart(waitMs % 400 === 0 ? ['worker'] : ['worker', 'api']);
    }
    const runs = async () => listIn(await get(`/api/runs?limit=100&metadata=schedule:${id}`), 'items');
    const completed = async () => (await runs()).filter((run) => textIn(run, 'status') === 'completed');
    await expect.poll(async () => (await completed()).length, PATIENTLY).toBe(12);
    const times = (await runs()).map((run) => /"scheduledAt":"([^"]+)"/.exec(JSON.stringify(run))?.[1]);
    expect([times.length, new Set(times).size, (await paidBack()).length]).toEqual([12, 12, 12]);
    await expect.poll(async () => await openFires(id), PATIENTLY).toEqual([]);
  },
  240_000,
);

test('a schedule that is triggered while no worker runs starts its run once when a worker runs', async () => {
  const id = await create({ graph: 'paying', every: '366d' });
  const requested = await restart(['worker'], async () => await trigger(id));
  expect(requested).toMatchObject({ outcome: 'pending' });
  await expect.poll(async () => await lastRuns(id), PATIENTLY).toMatchObject([{ status: 'completed' }]);
  expect(await paidBack()).toEqual(['A-1001']);
}, 120_000);

test('a schedule that is triggered while Temporal is unavailable starts its run once when Temporal runs', async () => {
  const id = await create({ graph: 'paying', every: '366d' });
  const requested = await restart(['temporal'], async () => await trigger(id));
  expect(requested).toMatchObject({ outcome: 'pending' });
  await expect.poll(async () => await lastRuns(id), PATIENTLY).toMatchObject([{ status: 'completed' }]);
  expect(await paidBack()).toEqual(['A-1001']);
}, 120_000);

test('a run of a schedule is canceled for the next fire although the worker and the API are killed', async () => {
  const id = await create({ graph: 'asking', every: '366d', overlap: 'cancelOther' });
  const first = textIn(await decided(id), 'runId');
  await until(first, 'waiting');
  await Promise.all([trigger(id).catch(() => null), restart(['worker', 'api'])]);
  await until(first, 'canceled');
  await expect
    .poll(async () => (await lastRuns(id)).map((fire) => textIn(fire, 'outcome')), PATIENTLY)
    .toEqual(['started', 'started']);
}, 120_000);

test('the fires of a schedule that are missed while Temporal is unavailable are caught up, each once', async () => {
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
  await expect.poll(async () => (await runs()).filter((run) => run.includes(at)).length, PATIENTLY).toBe(1);
}, 180_000);
