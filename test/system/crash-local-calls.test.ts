import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listIn, textIn } from '../../src/dev/demo/run-ticket.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startJobService } from '../support/doubles/job-service.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { executionsOf } from '../support/readers/executions.ts';
import { at } from '../support/readers/json-at.ts';
import { startCluster } from '../support/servers/cluster.ts';
import type { Cluster, VictimName } from '../support/servers/cluster.ts';
import { openReplay } from '../support/servers/replays.ts';

/*
 * Processes are killed with SIGKILL in the middle of local calls, which have no row in the ledger. The calls are made
 * again under their keys, and the run completes.
 */

let service: JobService;
let cluster: Cluster;
beforeAll(async () => {
  service = await startJobService();
  cluster = await startCluster({
    config: new URL('../support/servers/local-jobs.config.ts', import.meta.url),
    environment: { JOBS_URL: service.url },
  });
}, 120_000);
afterAll(async () => {
  await cluster.stop();
  await service.stop();
}, 60_000);
beforeEach(() => service.forget());

const job = (name: string): NodeDefinition => ({
  type: 'tool',
  tool: 'work',
  args: { job: name },
  write: { log: '{{ result.job }}' },
});
const graph = toJson(aDefinition({ nodes: { a: job('a'), b: job('b'), c: job('c') } }));

test('the history of a run replays after its worker froze in a local call for almost the task timeout', async () => {
  const held = service.hold('b');
  const id = textIn(await cluster.as('user').post('/api/runs', { graph }), 'id');
  const release = await held;
  const connection = await Connection.connect({ address: cluster.temporalAddress });
  const { workflow } = new Client({ connection });
  const { worker } = cluster.victims;
  await worker.suspend();
  // The SDK's core extends a task with open local calls after 24 s, and the server times it out after 30 s.
  await sleep(25_000);
  await worker.resume();
  const tasksOf = async () =>
    (await executionsOf(workflow, id))
      .flatMap(({ events }) => events ?? [])
      .filter((event) => event.workflowTaskStartedEventAttributes);
  await expect.poll(async () => (await tasksOf()).length, { interval: 50, timeout: 30_000 }).toBeGreaterThan(1);
  release();
  const run = async () => await cluster.as('user').get(`/api/runs/${id}`);
  await expect.poll(async () => at(await run(), '/status'), { interval: 50, timeout: 90_000 }).toBe('completed');
  expect(at(await run(), '/output/log')).toEqual(['a', 'b', 'c']);
  const histories = await executionsOf(workflow, id);
  const executions = histories.map((history) => JSON.parse(historyToJSON(history)));
  await connection.close();
  await (
    await openReplay()
  )({ executions, blobs: {} });
}, 200_000);

test.each<[string, readonly VictimName[]]>([
  ['the worker', ['worker']],
  ['worker and Temporal', ['worker', 'temporal']],
])(
  'processes that are killed in the middle of a local call make it again under its key: %s',
  async (_, victims) => {
    const held = service.hold('b');
    const id = textIn(await cluster.as('user').post('/api/runs', { graph }), 'id');
    const release = await held;
    for (const victim of victims) await cluster.victims[victim].kill();
    release();
    for (const victim of victims) await cluster.victims[victim].start();
    const run = async () => await cluster.as('user').get(`/api/runs/${id}`);
    await expect.poll(async () => at(await run(), '/status'), { interval: 50, timeout: 90_000 }).toBe('completed');
    expect(at(await run(), '/output/log')).toEqual(['a', 'b', 'c']);
    const keysOfB = service.calls.filter((call) => call.job === 'b').map(({ key }) => key);
    expect(keysOfB.length).toBeGreaterThan(1);
    expect([new Set(keysOfB).size, service.done]).toEqual([1, ['a', 'b', 'c']]);
    const history = listIn(await cluster.as('user').get(`/api/runs/${id}/history?limit=100`), 'items');
    expect(history.filter((event) => at(event, '/type') === 'tool.called')).toHaveLength(3);
  },
  150_000,
);
