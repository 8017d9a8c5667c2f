import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listIn, textIn } from '../../src/dev/demo/run-ticket.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startJobService } from '../support/doubles/job-service.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { startCluster } from '../support/servers/cluster.ts';
import type { Cluster, VictimName } from '../support/servers/cluster.ts';

/*
 * Processes are killed with SIGKILL while the schema of a tool reads arguments, and between that and the call. The
 * output of the schema differs each time: people see exactly what the call then uses.
 */

let service: JobService;
let cluster: Cluster;
beforeAll(async () => {
  service = await startJobService();
  cluster = await startCluster({
    config: new URL('../support/servers/reading-jobs.config.ts', import.meta.url),
    environment: { JOBS_URL: service.url },
  });
}, 120_000);
afterAll(async () => {
  await cluster.stop();
  await service.stop();
}, 60_000);
beforeEach(() => service.forget());

const graph = toJson(aDefinition({ nodes: { a: { type: 'tool', tool: 'pay', args: { job: 'a' } } } }));

test.each<[string, readonly VictimName[]]>([
  ['the worker', ['worker']],
  ['worker and Temporal', ['worker', 'temporal']],
])(
  'processes that are killed while arguments are read, and again before these are used, call the tool with exactly the displayed arguments: %s',
  async (_, victims) => {
    const restart = async (): Promise<void> => {
      for (const victim of victims) await cluster.victims[victim].kill();
      for (const victim of victims) await cluster.victims[victim].start();
    };
    const held = service.hold('a');
    const id = textIn(await cluster.as('user').post('/api/runs', { graph }), 'id');
    const release = await held;
    await restart();
    release();
    const asked = async () => listIn(await cluster.as('approver').get(`/api/approvals?runId=${id}`), 'items');
    await expect.poll(async () => (await asked()).length, { interval: 50, timeout: 90_000 }).toBe(1);
    expect(service.calls.length).toBeGreaterThan(1);
    const [approval = null] = await asked();
    const number = textAt(approval, '/args/number');
    const readings = service.calls.length;
    await restart();
    const path = `/api/approvals/${textAt(approval, '/id')}/decision`;
    await cluster.as('approver').post(path, { decision: 'approve' });
    const run = async () => await cluster.as('user').get(`/api/runs/${id}`);
    await expect.poll(async () => at(await run(), '/status'), { interval: 50, timeout: 90_000 }).toBe('completed');
    expect(service.calls.slice(readings).map(({ job }) => job)).toEqual([number]);
    const history = listIn(await cluster.as('user').get(`/api/runs/${id}/history?limit=100`), 'items');
    const requests = history.filter((event) => at(event, '/type') === 'tool.requested');
    expect(requests.map((event) => at(event, '/args'))).toEqual([{ job: 'a', number }]);
  },
  200_000,
);
