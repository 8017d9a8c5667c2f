import { once } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { Client as DatabaseClient } from 'pg';
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

describe('a worker that is lost', () => {
  const lose = async (): Promise<void> => await deployment.worker.kill();
  const replace = async (): Promise<void> => {
    await deployment.worker.start();
    await untilReady();
  };

  test('between two calls is no loss: another one goes on with the second', async () => {
    const wait = { type: 'wait', event: 'go' } as const;
    const id = await startRun({ a: aCall('unsafe', 'first'), wait, b: aCall('unsafe', 'second') });
    await until(id, 'waiting');
    await lose();
    expect(service.done).toEqual(['first']);
    await replace();
    const headers = { 'idempotency-key': `go ${id}` };
    // Temporal asks the worker that is gone first, and may take too long for an answer.
    await repeated(() => user().post(`/api/runs/${id}/signal`, { event: 'go' }, headers));
    await until(id, 'completed');
    expect(service.calls.map(({ job }) => job)).toEqual(['first', 'second']);
    expect(await eventsOf(user(), id, 'tool.called')).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  test('while an approval’s time runs out: it expires when there is one again, and who decides then is too late', async () => {
    const id = await startRun({
      ask: {
        type: 'approval',
        title: 'May I?',
        timeout: '6s',
        onTimeout: 'expire',
        write: { log: '{{ result.decision }}' },
      },
      after: aCall('keyed', 'after'),
    });
    await until(id, 'waiting');
    await lose();
    const approval = async () => at((await user().get(`/api/approvals?runId=${id}`)).body, '/items/0') ?? null;
    const expiresAt = Date.parse(textAt(await approval(), '/expiresAt'));
    await expect.poll(() => Date.now(), PATIENTLY).toBeGreaterThan(expiresAt);
    expect(await approval()).toMatchObject({ status: 'pending' });
    await replace();
    await until(id, 'completed');
    expect(await approval()).toMatchObject({ status: 'expired', decisions: [] });
    const late = await approver().post(`/api/runs/${id}/approve`, { approvalId: textAt(await approval(), '/id') });
    expect(late).toMatchObject({ status: 410, body: { code: 'APPROVAL_EXPIRED' } });
    expect((await user().get(`/api/runs/${id}/state`)).body).toMatchObject({ values: { log: ['expired', 'after'] } });
    expect(await eventsOf(user(), id, 'approval.expired')).toHaveLength(1);
    expect(await eventsOf(user(), id, 'approval.decided')).toEqual([]);
  });
});

describe('an API that is lost', () => {
  test('during a decision leaves its key busy for 15 seconds at most; then it is answered, and has counted once', async () => {
    const id = await startRun({ ask: { type: 'approval', title: 'May I?' }, pay: aCall('unsafe', 'approved') });
    await until(id, 'waiting');
    const headers = { 'idempotency-key': `decision ${id}` };
    const { answer } = await loseApiDuring(() => approver().post(`/api/runs/${id}/approve`, {}, headers));
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
    await until(id, 'completed');
    expect(service.calls.map(({ job }) => job)).toEqual(['approved']);
    expect(await eventsOf(user(), id, 'approval.decided')).toHaveLength(1);
  });

  test('before it has answered who starts a run: the same request again gets the run that was begun', async () => {
    const graph = aDefinition({ name: 'unanswered', nodes: { a: aCall('unsafe', 'begun') } });
    const begun = async () => listAt((await user().get('/api/runs?graph=unanswered')).body, '/items');
    const headers = { 'idempotency-key': 'unanswered' };
    const { answer, found } = await loseApiDuring(() => user().post('/api/runs', { graph }, headers), begun);
    expect(answer.status).toBe(201);
    const id = textAt(answer.body, '/id');
    await until(id, 'completed');
    expect(found).toMatchObject([{ id }]);
    expect(await begun()).toMatchObject([{ id }]);
    expect(service.calls.map(({ job }) => job)).toEqual(['begun']);
  });
});

/** When the lease of the one request ends that is worked on now; `null`: there is none. */
async function leaseEnd(): Promise<number | null> {
  const client = new DatabaseClient({ connectionString: deployment.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ until: Date }>(
    'select lease_until as until from idempotency where status is null and lease_until > now()',
  );
  await client.end();
  return rows[0]?.until.getTime() ?? null;
}

/**
 * Kills the API while it works on a request, and sends the same again until it is answered.
 * @param isBegun tells by a list that is not empty that the request has come far enough
 */
async function loseApiDuring(
  send: () => Promise<ApiAnswer>,
  isBegun: () => Promise<readonly unknown[]> = async () => [await leaseEnd()].filter((end) => end !== null),
): Promise<{ answer: ApiAnswer; found: readonly unknown[] }> {
  await deployment.temporal.freeze();
  const lost = send().catch((error: unknown) => error);
  await expect.poll(isBegun, PATIENTLY).not.toEqual([]);
  const found = await isBegun();
  await deployment.api.kill();
  const goneAt = Date.now();
  expect(await lost).toMatchObject({ message: 'fetch failed' });
  const busyUntil = (await leaseEnd()) ?? 0;
  expect(busyUntil).toBeGreaterThan(goneAt);
  expect(busyUntil - goneAt).toBeLessThanOrEqual(15_000);
  await deployment.temporal.thaw();
  await deployment.api.start();
  await untilReady();
  const answers: ApiAnswer[] = [];
  await expect.poll(async () => answers.unshift(await send()) && answers[0]?.status, PATIENTLY).not.toBe(409);
  expect(Date.now()).toBeGreaterThanOrEqual(busyUntil);
  const [answer = await send(), ...busy] = answers;
  for (const { body, headers } of busy) {
    expect(body).toMatchObject({ code: 'REQUEST_IN_PROGRESS' });
    expect(headers.get('retry-after')).toBe('1');
  }
  return { answer, found };
}

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
