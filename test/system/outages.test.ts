import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiAnswer } from '../support/readers/api-client.ts';
import { eventsOf } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import type { JobCall } from '../support/doubles/job-service.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { BOUND_MS, PATIENTLY, aCall, repeated, startSite } from '../support/servers/site.ts';
import type { Site } from '../support/servers/site.ts';

/*
 * Temporal, PostgreSQL and a model are suspended, or killed and restarted, while runs are in progress and requests
 * arrive. Every request is answered in bounded time, nothing is lost or done twice, and everything continues without
 * help.
 */

vi.setConfig({ testTimeout: 180_000 });

let site: Site;
beforeAll(async () => {
  site = await startSite({
    tool: { timeout: '2m', retry: { maxAttempts: 3 } },
    models: (scripted) => ({ default: { ...scripted, retry: { maxAttempts: 100, maxInterval: '2s' } } }),
  });
}, 180_000);
afterAll(() => site.stop());
beforeEach(() => site.service.forget());

/** The jobs of all calls; that of a keyed tool may occur more than once under its key. */
function callsByKey(): readonly string[] {
  const { calls } = site.service;
  const isRepeated = ({ job, key }: JobCall, at: number): boolean =>
    ['keyed', 'new'].includes(job) && calls.findIndex((call) => call.key === key) < at;
  return calls
    .filter((call, at) => !isRepeated(call, at))
    .map(({ job }) => job)
    .toSorted();
}

interface Outage {
  readonly what: 'Temporal' | 'The database';
  readonly how: string;
  /** The expected statuses of starting and of reading a run. */
  readonly answers: readonly [number, number];
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const OUTAGES: readonly Outage[] = [
  {
    what: 'Temporal',
    how: 'stands still',
    answers: [201, 200],
    begin: () => site.deployment.temporal.suspend(),
    end: () => site.deployment.temporal.resume(),
  },
  {
    what: 'Temporal',
    how: 'is killed',
    answers: [201, 200],
    begin: () => site.deployment.temporal.kill(),
    end: () => site.deployment.temporal.start(),
  },
  {
    what: 'The database',
    how: 'stands still',
    answers: [503, 503],
    begin: () => site.deployment.postgres.victim.suspend(),
    end: () => site.deployment.postgres.victim.resume(),
  },
  {
    what: 'The database',
    how: 'is killed',
    answers: [503, 503],
    begin: () => site.deployment.postgres.victim.kill(),
    end: () => site.deployment.postgres.victim.start(),
  },
];

/** A refusal that asks the client to retry later. */
const awayOf = (what: Outage['what']) => ({
  status: 503,
  body: { code: 'UNAVAILABLE', detail: expect.stringContaining(what) },
});

/** @throws when a response is late, or asks for a retry without a time */
async function inTime(answer: Promise<ApiAnswer>): Promise<ApiAnswer> {
  const began = Date.now();
  const given = await answer;
  const tookMs = Date.now() - began;
  if (tookMs > BOUND_MS) throw new Error(`An answer took ${tookMs} ms`);
  if (given.status === 503 && given.headers.get('retry-after') === null) throw new Error('No Retry-After');
  return given;
}

describe.each(OUTAGES)('an outage ($what $how)', ({ what, answers, begin, end }) => {
  test('requests are refused in time or executed once during an outage, and no open call is lost', async () => {
    const asking = await site.startRun({
      ask: { type: 'approval', title: 'May I?' },
      pay: aCall('unsafe', 'approved'),
    });
    await site.until(asking, 'waiting');
    const held = [site.service.hold('unsafe'), site.service.hold('keyed')];
    const calling = [
      await site.startRun({ a: aCall('unsafe', 'unsafe'), b: aCall('unsafe', 'after') }),
      await site.startRun({ a: aCall('keyed', 'keyed') }),
    ];
    const releases = await Promise.all(held);
    const wanted = { graph: aDefinition({ nodes: { a: aCall('keyed', 'new') } }) };
    const start = () => site.user.post('/api/runs', wanted, { 'idempotency-key': `start ${asking}` });
    const approve = () =>
      site.approver.post(`/api/runs/${asking}/approve`, {}, { 'idempotency-key': `approve ${asking}` });

    await begin();
    const [probe, workerProbe, started, approved, read] = await Promise.all(
      [
        site.user.get('/readyz'),
        site.deployment.workerHealth.get('/readyz'),
        start(),
        approve(),
        site.user.get('/api/runs'),
      ].map(inTime),
    );
    expect([probe, workerProbe]).toMatchObject([awayOf(what), awayOf(what)]);
    expect(approved).toMatchObject(awayOf(what));
    expect([started?.status, read?.status]).toEqual(answers);
    for (const one of [site.user, site.deployment.workerHealth])
      expect(await one.get('/healthz')).toMatchObject({ status: 200 });
    for (const release of releases) release();
    await expect.poll(() => site.service.done, PATIENTLY).toEqual(expect.arrayContaining(['unsafe', 'keyed']));
    await end();

    await site.untilReady();
    expect(await repeated(approve)).toMatchObject({ status: 200, body: { status: 'approved' } });
    const { body } = await repeated(start);
    for (const id of [asking, ...calling, textAt(body, '/id')]) await site.until(id, 'completed');
    expect(callsByKey()).toEqual(['after', 'approved', 'keyed', 'new', 'unsafe']);
    expect(listAt((await site.user.get(`/api/approvals?runId=${asking}`)).body, '/items/0/decisions')).toHaveLength(1);
    expect(await eventsOf(site.user, asking, 'approval.decided')).toHaveLength(1);
  });
});

test('an unsafe call that takes longer than the outage of Temporal is made once and has a known outcome', async () => {
  const held = site.service.hold('long');
  const id = await site.startRun({ a: aCall('unsafe', 'long') });
  const release = await held;
  await site.deployment.temporal.kill();
  const goneAt = Date.now();
  // Longer than the server's heartbeat time-out.
  await expect.poll(() => Date.now() - goneAt, PATIENTLY).toBeGreaterThan(10_000);
  // A heartbeat that arrives before the server checks for late ones would keep the first attempt, so the worker is
  // suspended.
  await site.deployment.worker.suspend();
  await site.deployment.temporal.start();
  await expect.poll(() => attemptsAt(id), PATIENTLY).toBeGreaterThan(1);
  await site.deployment.worker.resume();
  release();
  await site.until(id, 'completed');
  expect(site.service.calls).toHaveLength(1);
  expect(await eventsOf(site.user, id, 'tool.called')).toMatchObject([{ attempts: 1, result: { job: 'long' } }]);
});

/** The number of attempts that Temporal has started of the pending activity of a run. */
async function attemptsAt(id: string): Promise<number> {
  const { body } = await site.user.get(`/api/runs/${id}`);
  const connection = await Connection.connect({ address: site.deployment.temporal.address });
  const { raw } = await new Client({ connection }).workflow.getHandle(textAt(body, '/workflowId')).describe();
  await connection.close();
  return raw.pendingActivities?.[0]?.attempt ?? 0;
}

test('a model that is down is retried until it is back, and the run reports that it waits for the model', async () => {
  await site.model.goOffline();
  const id = await site.startRun({ ask: { type: 'llm', prompt: 'Say something.', write: { log: '{{ result }}' } } });
  const lastError = async () => at((await site.user.get(`/api/runs/${id}`)).body, '/retrying/0/lastError/code');
  await expect.poll(lastError, PATIENTLY).toBe('MODEL_FAILED');
  await site.model.goOnline();
  await site.until(id, 'completed');
  const [called] = await eventsOf(site.user, id, 'model.called');
  expect(at(called ?? null, '/attempts')).toBeGreaterThan(1);
});
