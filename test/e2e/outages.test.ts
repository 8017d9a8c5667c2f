import { once } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Listening } from '../../src/process/listen.ts';
import type { HttpToolInput } from '../../src/config/tools.ts';
import { startScriptedModel } from '../../src/dev/scripted-model/server.ts';
import type { NodeDefinition } from '../../src/graph/definition.ts';
import type { ApiAnswer, ApiClient } from '../support/api-client.ts';
import { eventsOf, hasStatus } from '../support/api-runs.ts';
import { aDefinition } from '../support/builders.ts';
import { aToolOf } from '../support/configured-tool.ts';
import { startDeployment } from '../support/deployment.ts';
import type { Deployment } from '../support/deployment.ts';
import { startJobService } from '../support/job-service.ts';
import type { JobCall, JobService } from '../support/job-service.ts';
import { at, listAt, textAt } from '../support/json-at.ts';

/*
 * Temporal and PostgreSQL stand still, or are killed and started again, while runs are under way and requests come in.
 * Every request is answered in bounded time, nothing is lost or done twice, and everything goes on by itself.
 */

vi.setConfig({ testTimeout: 180_000 });
const PATIENTLY = { interval: 50, timeout: 110_000 };
/** Longer than any request takes whose other side is away. */
const BOUND_MS = 30_000;

let service: JobService;
let model: Listening;
let deployment: Deployment;
beforeAll(async () => {
  service = await startJobService();
  const tool = (effect: HttpToolInput['effect'] & string) =>
    aToolOf(service, { name: effect, effect, timeout: '2m', retry: { maxAttempts: 3 } });
  model = await startScriptedModel({ port: 0 });
  deployment = await startDeployment({
    models: {
      default: {
        provider: 'openai-compatible',
        model: 'scripted',
        baseUrl: model.url,
        retry: { maxAttempts: 100, maxInterval: '2s' },
      },
    },
    tools: [tool('unsafe'), tool('keyed')],
    http: { allow: [service.address, `127.0.0.1:${model.port}`] },
    defaults: { heartbeatTimeout: '5s' },
  });
  await Promise.all([deployment.api.said('API listening'), deployment.worker.said('worker started')]);
}, 180_000);
afterAll(async () => {
  await deployment.stop();
  await service.stop();
  await model.stop();
});
beforeEach(() => service.forget());

const user = (): ApiClient => deployment.as('user');
const approver = (): ApiClient => deployment.as('approver');
const until = (id: string, status: string) => user().untilRun(id, hasStatus(status), PATIENTLY.timeout);
const aCall = (tool: string, job: string) => ({ type: 'tool', tool, args: { job }, write: { log: job } }) as const;
const bodyOf = (nodes: Record<string, NodeDefinition>) => ({ graph: aDefinition({ nodes }) });

async function startRun(nodes: Record<string, NodeDefinition>): Promise<string> {
  return textAt((await user().post('/api/runs', bodyOf(nodes))).body, '/id');
}

async function readiness(): Promise<(number | undefined)[]> {
  const answers = [deployment.workerHealth, user()].map((one) => one.get('/readyz').catch(() => null));
  return (await Promise.all(answers)).map((answer) => answer?.status);
}

async function untilReady(): Promise<void> {
  await expect.poll(readiness, PATIENTLY).toEqual([200, 200]);
}

/** The jobs of all calls; one of a keyed tool may come more than once under its key. */
function callsByKey(): readonly string[] {
  const { calls } = service;
  const isRepeated = ({ job, key }: JobCall, at: number): boolean =>
    ['keyed', 'new'].includes(job) && calls.findIndex((call) => call.key === key) < at;
  return calls
    .filter((call, at) => !isRepeated(call, at))
    .map(({ job }) => job)
    .toSorted();
}

async function killPostgres(): Promise<void> {
  const server = deployment.postgres.process();
  const gone = once(server, 'exit');
  server.kill('SIGQUIT');
  await gone;
}

interface Outage {
  readonly what: 'Temporal' | 'The database';
  readonly how: string;
  /** To who starts a run, and who reads them. */
  readonly answers: readonly [number, number];
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const OUTAGES: readonly Outage[] = [
  {
    what: 'Temporal',
    how: 'stands still',
    answers: [201, 200],
    begin: () => deployment.temporal.freeze(),
    end: () => deployment.temporal.thaw(),
  },
  {
    what: 'Temporal',
    how: 'is killed',
    answers: [201, 200],
    begin: () => deployment.temporal.kill(),
    end: () => deployment.temporal.start(),
  },
  {
    what: 'The database',
    how: 'stands still',
    answers: [503, 503],
    begin: () => deployment.postgres.victim.freeze(),
    end: () => deployment.postgres.victim.thaw(),
  },
  {
    what: 'The database',
    how: 'is killed',
    answers: [503, 503],
    begin: killPostgres,
    end: () => deployment.postgres.restart(),
  },
];

/** An answer that says: not now, ask again. */
const awayOf = (what: Outage['what']) => ({
  status: 503,
  body: { code: 'UNAVAILABLE', detail: expect.stringContaining(what) },
});

/** @throws when an answer comes late, or asks to be asked again without saying when */
async function inTime(answer: Promise<ApiAnswer>): Promise<ApiAnswer> {
  const began = Date.now();
  const given = await answer;
  const tookMs = Date.now() - began;
  if (tookMs > BOUND_MS) throw new Error(`An answer took ${tookMs} ms`);
  if (given.status === 503 && given.headers.get('retry-after') === null) throw new Error('No Retry-After');
  return given;
}

/** Sends a request again under its key until it is answered otherwise. */
async function repeated(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const answers: ApiAnswer[] = [];
  const status = async (): Promise<number | undefined> => {
    answers.unshift(await send());
    return answers[0]?.status;
  };
  await expect.poll(status, PATIENTLY).toBeLessThan(300);
  return answers[0] ?? (await send());
}

describe.each(OUTAGES)('$what $how', ({ what, answers, begin, end }) => {
  test('and what was asked meanwhile is refused in time or done once; calls that were out are not lost', async () => {
    const asking = await startRun({ ask: { type: 'approval', title: 'May I?' }, pay: aCall('unsafe', 'approved') });
    await until(asking, 'waiting');
    const held = [service.hold('unsafe'), service.hold('keyed')];
    const calling = [
      await startRun({ a: aCall('unsafe', 'unsafe'), b: aCall('unsafe', 'after') }),
      await startRun({ a: aCall('keyed', 'keyed') }),
    ];
    const releases = await Promise.all(held);
    const wanted = bodyOf({ a: aCall('keyed', 'new') });
    const start = () => user().post('/api/runs', wanted, { 'idempotency-key': `start ${asking}` });
    const approve = () =>
      approver().post(`/api/runs/${asking}/approve`, {}, { 'idempotency-key': `approve ${asking}` });

    await begin();
    const [probe, workerProbe, started, approved, read] = await Promise.all(
      [user().get('/readyz'), deployment.workerHealth.get('/readyz'), start(), approve(), user().get('/api/runs')].map(
        inTime,
      ),
    );
    expect([probe, workerProbe]).toMatchObject([awayOf(what), awayOf(what)]);
    expect(approved).toMatchObject(awayOf(what));
    expect([started?.status, read?.status]).toEqual(answers);
    for (const one of [user(), deployment.workerHealth])
      expect(await one.get('/healthz')).toMatchObject({ status: 200 });
    for (const release of releases) release();
    await expect.poll(() => service.done, PATIENTLY).toEqual(expect.arrayContaining(['unsafe', 'keyed']));
    await end();

    await untilReady();
    expect(await repeated(approve)).toMatchObject({ status: 200, body: { status: 'approved' } });
    const { body } = await repeated(start);
    for (const id of [asking, ...calling, textAt(body, '/id')]) await until(id, 'completed');
    expect(callsByKey()).toEqual(['after', 'approved', 'keyed', 'new', 'unsafe']);
    expect(listAt((await user().get(`/api/approvals?runId=${asking}`)).body, '/items/0/decisions')).toHaveLength(1);
    expect(await eventsOf(user(), asking, 'approval.decided')).toHaveLength(1);
  });
});

test('An unsafe call that goes on for longer than Temporal is away is made once, and is no riddle afterwards', async () => {
  const held = service.hold('long');
  const id = await startRun({ a: aCall('unsafe', 'long') });
  const release = await held;
  await deployment.temporal.kill();
  const goneAt = Date.now();
  // Longer than the server goes without a heartbeat.
  await expect.poll(() => Date.now() - goneAt, PATIENTLY).toBeGreaterThan(10_000);
  await deployment.temporal.start();
  await expect.poll(() => attemptsAt(id), PATIENTLY).toBeGreaterThan(1);
  release();
  await until(id, 'completed');
  expect(service.calls).toHaveLength(1);
  expect(await eventsOf(user(), id, 'tool.called')).toMatchObject([{ attempts: 1, result: { job: 'long' } }]);
});

/** How often Temporal has begun the activity that a run waits for. */
async function attemptsAt(id: string): Promise<number> {
  const { body } = await user().get(`/api/runs/${id}`);
  const connection = await Connection.connect({ address: deployment.temporal.address });
  const { raw } = await new Client({ connection }).workflow.getHandle(textAt(body, '/workflowId')).describe();
  await connection.close();
  return raw.pendingActivities?.[0]?.attempt ?? 0;
}

describe('A model', () => {
  test('that is away is asked again until it is back, and the run shows that it waits for it', async () => {
    const { port } = model;
    await model.stop();
    const id = await startRun({ ask: { type: 'llm', prompt: 'Say something.', write: { log: '{{ result }}' } } });
    const lastError = async () => at((await user().get(`/api/runs/${id}`)).body, '/retrying/0/lastError/code');
    await expect.poll(lastError, PATIENTLY).toBe('MODEL_FAILED');
    model = await startScriptedModel({ port });
    await until(id, 'completed');
    const [called] = await eventsOf(user(), id, 'model.called');
    expect(at(called ?? null, '/attempts')).toBeGreaterThan(1);
  });
});

describe('processes that start', () => {
  test('before Temporal and the database wait for them, say so, and work when they are there', async () => {
    const { api, worker, temporal, postgres } = deployment;
    await Promise.all([api.kill(), worker.kill(), temporal.kill()]);
    await killPostgres();
    for (const process of [api, worker]) await process.start();
    for (const process of [api, worker]) {
      await process.said('waiting for Temporal');
      await process.said('waiting for the database');
    }
    const waiting = { status: 503, body: { detail: expect.stringMatching(/waits for .*Temporal/) } };
    expect(await user().get('/readyz')).toMatchObject(waiting);
    expect(await deployment.workerHealth.get('/readyz')).toMatchObject(waiting);
    const refused = await user().get('/api/runs');
    expect(refused).toMatchObject(waiting);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await user().get('/healthz')).toMatchObject({ status: 200 });
    await postgres.restart();
    await temporal.start();
    await untilReady();
    const id = await startRun({ a: aCall('keyed', 'late') });
    await until(id, 'completed');
  });

  test('and are asked to end while they wait just end', async () => {
    const { api, worker, temporal } = deployment;
    await Promise.all([api.kill(), worker.kill(), temporal.kill()]);
    for (const process of [api, worker]) {
      await process.start();
      await process.said('waiting for Temporal');
      process.signal('SIGTERM');
      expect(await process.ended()).toBe(0);
    }
  });
});
