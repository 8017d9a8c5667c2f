import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HttpToolInput } from '../../src/config/tool.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { eventsOf, hasStatus } from '../support/readers/api-runs.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { startDeployment } from '../support/servers/deployment.ts';
import type { Deployment } from '../support/servers/deployment.ts';
import { startJobService } from '../support/doubles/job-service.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { listAt, textAt } from '../support/readers/json-at.ts';

/* Processes are asked to stop in the middle of their work, without an effect on runs. */

const LEAVING = { code: 'UNAVAILABLE', detail: 'The process is shutting down' };
const PATIENTLY = { interval: 20, timeout: 110_000 };

let service: JobService;
let deployment: Deployment;

async function deploy(shutdownGrace: string): Promise<void> {
  service = await startJobService();
  const tool = (effect: HttpToolInput['effect'] & string) => aToolOf(service, { name: effect, effect });
  const tools = [tool('unsafe'), tool('keyed')];
  deployment = await startDeployment({ tools, http: { allow: [service.address] }, shutdownGrace });
}

async function remove(): Promise<void> {
  await deployment.stop();
  await service.stop();
}

const user = (): ApiClient => deployment.as('user');
const until = (id: string, status: string) => user().untilRun(id, hasStatus(status), 110_000);

async function startRun(nodes: Parameters<typeof aDefinition>[0]): Promise<string> {
  const { body } = await user().post('/api/runs', { graph: aDefinition(nodes) });
  return textAt(body, '/id');
}

const aCall = (tool: string, job: string) => ({ type: 'tool', tool, args: { job }, write: { log: job } }) as const;

async function untilReady(): Promise<void> {
  const statuses = async () => [
    (await deployment.workerHealth.get('/readyz').catch(() => null))?.status,
    (
      await user()
        .get('/readyz')
        .catch(() => null)
    )?.status,
  ];
  await expect.poll(statuses, PATIENTLY).toEqual([200, 200]);
}

vi.setConfig({ testTimeout: 120_000 });

describe('shutdown within a long grace period', () => {
  beforeAll(async () => await deploy('40s'), 120_000);
  afterAll(remove);
  beforeEach(async () => {
    service.forget();
    await untilReady();
  }, 120_000);

  describe('an API process', () => {
    afterEach(() => deployment.api.start());

    test('an API process that shuts down answers waiting requests at once with the current state of the run, and exits', async () => {
      const held = [service.hold('slow'), service.hold('also slow')];
      const id = await startRun({ nodes: { a: aCall('keyed', 'slow') } });
      const waiting = user().get(`/api/runs/${id}`, { prefer: 'wait=60' });
      const alsoWaiting = user().post(
        '/api/runs',
        { graph: aDefinition({ nodes: { a: aCall('keyed', 'also slow') } }) },
        { prefer: 'wait=60' },
      );
      const releases = await Promise.all(held);
      deployment.api.signal('SIGTERM');
      expect(await waiting).toMatchObject({ status: 200, body: { id, status: 'running' } });
      expect(await alsoWaiting).toMatchObject({ status: 201, body: { status: 'running' } });
      expect(await deployment.api.ended()).toBe(0);
      for (const release of releases) release();
    });

    test('an API process that shuts down reports not ready while it finishes a request', async () => {
      const lock = await lockGraphs();
      const reading = user().get('/api/graphs');
      await lock.hit();
      deployment.api.signal('SIGTERM');
      await deployment.api.said('shutting down');
      const probe = await user().get('/readyz');
      expect(probe).toMatchObject({ status: 503, body: LEAVING });
      expect(probe.headers.get('connection')).toBe('close');
      expect(await user().get('/healthz')).toMatchObject({ status: 200 });
      await lock.release();
      expect(await reading).toMatchObject({ status: 200 });
      expect(await deployment.api.ended()).toBe(0);
    });

    test('an API process that shuts down exits at once at a second signal', async () => {
      const lock = await lockGraphs();
      const broken = user()
        .get('/api/graphs')
        .catch((error: unknown) => error);
      await lock.hit();
      deployment.api.signal('SIGTERM');
      await deployment.api.said('shutting down');
      deployment.api.signal('SIGINT');
      expect(await deployment.api.ended()).toBe(1);
      expect(await broken).toMatchObject({ message: 'fetch failed' });
      await lock.release();
    });
  });

  describe('a worker process', () => {
    test('a worker that shuts down completes an unsafe call and reports not ready meanwhile, and another worker continues the run', async () => {
      const held = service.hold('first');
      const id = await startRun({ nodes: { a: aCall('unsafe', 'first'), b: aCall('unsafe', 'second') } });
      const release = await held;
      deployment.worker.signal('SIGTERM');
      await deployment.worker.said('shutting down');
      expect(await deployment.workerHealth.get('/readyz')).toMatchObject({ status: 503, body: LEAVING });
      expect(await deployment.workerHealth.get('/healthz')).toMatchObject({ status: 200 });
      release();
      expect(await deployment.worker.ended()).toBe(0);
      await deployment.worker.start();
      await until(id, 'completed');
      expect(service.calls.map(({ job }) => job)).toEqual(['first', 'second']);
      expect(await eventsOf(user(), id, 'tool.called')).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    });

    test('a worker that shuts down exits at once at a second signal', async () => {
      const held = service.hold('first');
      const id = await startRun({ nodes: { a: aCall('keyed', 'first') } });
      const release = await held;
      deployment.worker.signal('SIGINT');
      await deployment.worker.said('shutting down');
      deployment.worker.signal('SIGTERM');
      expect(await deployment.worker.ended()).toBe(1);
      release();
      await deployment.worker.start();
      await until(id, 'completed');
    });
  });
});

describe('shutdown with a grace period that ends before a call', () => {
  beforeAll(async () => await deploy('1s'), 120_000);
  afterAll(remove);
  beforeEach(async () => {
    service.forget();
    await untilReady();
  }, 120_000);

  test('a worker whose grace period ends before its call leaves the call to another worker, and the run counts no failed attempt', async () => {
    const held = service.hold('slow');
    const id = await startRun({ nodes: { a: aCall('keyed', 'slow') } });
    const release = await held;
    deployment.worker.signal('SIGTERM');
    expect(await deployment.worker.ended()).toBe(0);
    const { body } = await user().get(`/api/runs/${id}`);
    expect(body).toMatchObject({ status: 'running', error: null, waitingFor: [] });
    await deployment.worker.start();
    await until(id, 'completed');
    const keys = new Set(service.calls.map(({ key }) => key));
    expect([service.calls.length, keys.size]).toEqual([2, 1]);
    expect(await eventsOf(user(), id, 'tool.called')).toMatchObject([{ attempts: 1, result: { job: 'slow' } }]);
    release();
  });

  test('a worker whose grace period ends before its unsafe call leaves the possibly executed call to a person', async () => {
    const held = service.hold('slow');
    const id = await startRun({ nodes: { a: aCall('unsafe', 'slow') } });
    const release = await held;
    deployment.worker.signal('SIGTERM');
    expect(await deployment.worker.ended()).toBe(0);
    await deployment.worker.start();
    const run = await until(id, 'waiting');
    expect(listAt(run, '/waitingFor')).toMatchObject([{ kind: 'intervention', node: 'a' }]);
    expect(service.calls).toHaveLength(1);
    release();
  });
});

/** Blocks requests that read graphs. */
async function lockGraphs(): Promise<{ hit(): Promise<void>; release(): Promise<void> }> {
  const client = new Client({ connectionString: deployment.databaseUrl });
  await client.connect();
  await client.query('begin; lock table graphs in access exclusive mode');
  const waiting = async () => (await client.query('select 1 from pg_locks where not granted')).rowCount;
  return {
    hit: async () => await expect.poll(waiting, PATIENTLY).toBe(1),
    release: () => client.end(),
  };
}
