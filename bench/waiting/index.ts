import { Client, Connection } from '@temporalio/client';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import type { ApiClient } from '../../test/support/readers/api-client.ts';
import { startNode } from '../../test/support/servers/child-node.ts';
import { at, textAt } from '../../test/support/readers/json-at.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { startProcesses } from '../../test/support/servers/processes.ts';
import { inTurns } from '../support/in-turns.ts';
import { settledMemory } from '../support/resident-memory.ts';
import { median, print, round } from '../support/timed-run.ts';
import { BARE_QUEUE } from './bare-queue.ts';
import { sized } from '../support/size.ts';

/*
 * The cost of runs that wait for an approval: `npm run bench:waiting [-- 10000]`. Prints one JSON object per line: the
 * memory of the worker per run, next to a bare workflow that waits for a signal; the time until a run continues, from
 * the worker's cache and from its history; and the time of a page of the inbox.
 */

const RUNS = Number(process.argv[2] ?? sized(10_000, 8));
/** The number of waiting runs before the first memory sample, after which all code is compiled. */
const WARM_UP = Math.min(500, RUNS / 4);
const STARTS_AT_A_TIME = 16;
const WAKES = sized(50, 2);
const PAGES = sized(200, 2);

const ASKING: GraphDefinition = {
  name: 'asking',
  channels: { number: {}, decision: {} },
  nodes: {
    ask: { type: 'approval', title: 'Pay back {{ state.number }}?', args: { amount: 10 }, write: 'decision' },
  },
  edges: [{ from: '__start__', to: 'ask' }],
  input: ['number'],
};

const teardown = openTeardown();
try {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const environment = { HOLDFAST_CACHED_RUNS: String(RUNS * 2) };
  const { workers, baseUrls, tokens, temporal } = await startProcesses(
    { databaseUrl: await postgres.createDatabase('bench'), config: {}, environment, isAwaited: true },
    teardown,
  );
  const [worker, baseUrl] = [workers[0], baseUrls[0]];
  if (!worker || baseUrl === undefined) throw new TypeError('There is a worker and an API');
  const [user, approver] = [createApiClient(baseUrl, tokens.user), createApiClient(baseUrl, tokens.approver)];

  const ids: string[] = [];
  await user.post('/api/graphs', ASKING);
  const ours = await memoryPerRun(worker.pid, async (number) => void (ids[number] = await waitingRun(user, number)));
  print({ runs: RUNS, kibPerRun: { holdfast: ours, ...(await bareMemory(temporal.address)) } });
  print({ inbox: await inboxPages(approver) });

  const cached = await wakeTimes(approver, ids.slice(-WAKES));
  await worker.stop();
  await worker.start();
  print({ wake: { fromCache: summary(cached), fromHistory: summary(await wakeTimes(approver, ids.slice(0, WAKES))) } });
} finally {
  await teardown.run();
}

async function waitingRun(user: ApiClient, number: number): Promise<string> {
  const { status, body } = await user.post('/api/runs', { graph: 'asking', input: { number } }, { prefer: 'wait=30' });
  if (textAt(body, '/status') !== 'waiting') throw new Error(`A run was not accepted or does not wait: ${status}`);
  return textAt(body, '/id');
}

/** @returns KiB */
async function memoryPerRun(pid: number, start: (number: number) => Promise<void>): Promise<number> {
  await inTurns(WARM_UP, STARTS_AT_A_TIME, start);
  const before = await settledMemory(pid);
  await inTurns(RUNS - WARM_UP, STARTS_AT_A_TIME, async (number) => await start(WARM_UP + number));
  return round(((await settledMemory(pid)) - before) / (RUNS - WARM_UP), 1);
}

async function bareMemory(address: string): Promise<object> {
  const environment = { ...process.env, TEMPORAL_ADDRESS: address, HOLDFAST_CACHED_RUNS: String(RUNS * 2) };
  const bare = startNode('bench/waiting/bare-worker.ts', environment, { readyWhen: 'worker started' });
  teardown.add(() => bare.kill());
  await bare.untilReady();
  const connection = await Connection.connect({ address });
  teardown.add(() => connection.close());
  const client = new Client({ connection });
  const start = async (number: number): Promise<void> => {
    const options = { taskQueue: BARE_QUEUE, workflowId: `bare-${number}`, args: [`Pay back ${number}?`] };
    await (await client.workflow.start('waiting', options)).query('title');
  };
  const kib = await memoryPerRun(bare.pid, start);
  await bare.stop();
  return { bare: kib };
}

/** The times from a decision's request to the end of its run, in milliseconds. */
async function wakeTimes(approver: ApiClient, ids: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const id of ids) {
    const begin = performance.now();
    await approver.post(`/api/runs/${id}/approve`, {});
    await approver.untilRun(id, (run) => textAt(run, '/status') === 'completed');
    times.push(performance.now() - begin);
  }
  return times;
}

/** The times of pages of the inbox, newest first, in milliseconds. */
async function inboxPages(approver: ApiClient): Promise<object> {
  const times: number[] = [];
  let cursor: unknown = null;
  for (let page = 0; page < PAGES; page++) {
    const begin = performance.now();
    const from = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const { body } = await approver.get(`/api/approvals?status=pending&limit=50${from}`);
    times.push(performance.now() - begin);
    cursor = at(body, '/nextCursor');
  }
  return summary(times);
}

function summary(times: readonly number[]): object {
  const sorted = times.toSorted((a, b) => a - b);
  return { medianMs: round(median(times), 1), p95Ms: round(sorted[Math.floor(sorted.length * 0.95)] ?? 0, 1) };
}
