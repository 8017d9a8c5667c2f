import { Client as DatabaseClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiAnswer } from '../support/readers/api-client.ts';
import { eventsOf } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { PATIENTLY, aCall, repeated, startSite } from '../support/servers/site.ts';
import type { Site } from '../support/servers/site.ts';

/*
 * The worker and the API are killed in the middle of their work, and start before their dependencies. Another process
 * continues, and each request counts once.
 */

vi.setConfig({ testTimeout: 180_000 });

let site: Site;
beforeAll(async () => {
  site = await startSite({ tool: { timeout: '2m', retry: { maxAttempts: 3 } }, models: () => ({}) });
}, 180_000);
afterAll(() => site.stop());
beforeEach(() => site.service.forget());

describe('a worker that is lost', () => {
  const lose = async (): Promise<void> => await site.deployment.worker.kill();
  const replace = async (): Promise<void> => {
    await site.deployment.worker.start();
    await site.untilReady();
  };

  test('a worker that is lost between two calls is replaced by another worker, which makes the second call', async () => {
    const wait = { type: 'wait', event: 'go' } as const;
    const id = await site.startRun({ a: aCall('unsafe', 'first'), wait, b: aCall('unsafe', 'second') });
    await site.until(id, 'waiting');
    await lose();
    expect(site.service.done).toEqual(['first']);
    await replace();
    const headers = { 'idempotency-key': `go ${id}` };
    // Temporal asks the lost worker first, and may respond too late.
    await repeated(() => site.user.post(`/api/runs/${id}/signal`, { event: 'go' }, headers));
    await site.until(id, 'completed');
    expect(site.service.calls.map(({ job }) => job)).toEqual(['first', 'second']);
    expect(await eventsOf(site.user, id, 'tool.called')).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  test('an approval that expires while the worker is lost expires when a worker starts, and later decisions are refused', async () => {
    const id = await site.startRun({
      ask: {
        type: 'approval',
        title: 'May I?',
        timeout: '15s',
        onTimeout: 'expire',
        write: { log: '{{ result.decision }}' },
      },
      after: aCall('keyed', 'after'),
    });
    await site.until(id, 'waiting');
    await lose();
    const approval = async () => at((await site.user.get(`/api/approvals?runId=${id}`)).body, '/items/0') ?? null;
    const expiresAt = Date.parse(textAt(await approval(), '/expiresAt'));
    await expect.poll(() => Date.now(), PATIENTLY).toBeGreaterThan(expiresAt);
    expect(await approval()).toMatchObject({ status: 'pending' });
    const meanwhile = await site.approver.post(`/api/runs/${id}/approve`, {});
    expect(meanwhile).toMatchObject({ status: 410, body: { code: 'APPROVAL_EXPIRED' } });
    await replace();
    await site.until(id, 'completed');
    expect(await approval()).toMatchObject({ status: 'expired', decisions: [] });
    const late = await site.approver.post(`/api/runs/${id}/approve`, { approvalId: textAt(await approval(), '/id') });
    expect(late).toMatchObject({ status: 410, body: { code: 'APPROVAL_EXPIRED' } });
    expect((await site.user.get(`/api/runs/${id}/state`)).body).toMatchObject({
      values: { log: ['expired', 'after'] },
    });
    expect(await eventsOf(site.user, id, 'approval.expired')).toHaveLength(1);
    expect(await eventsOf(site.user, id, 'approval.decided')).toEqual([]);
  });
});

test('a decision that no worker receives before the approval expires counts if the API accepted it in time', async () => {
  const asks = {
    type: 'approval',
    title: 'May I?',
    timeout: '40s',
    write: { log: '{{ result.decision }}' },
  } as const;
  const id = await site.startRun({ ask: { ...asks, onTimeout: 'reject' } });
  await site.until(id, 'waiting');
  await site.deployment.worker.kill();
  const early = await site.approver.post(`/api/runs/${id}/approve`, {});
  expect(early).toMatchObject({ status: 503, body: { mayTakeEffect: true } });
  const { body } = await site.user.get(`/api/approvals/${id}.a1`);
  const expiresAt = Date.parse(textAt(body, '/expiresAt'));
  await expect.poll(() => Date.now(), PATIENTLY).toBeGreaterThan(expiresAt);
  expect((await site.approver.post(`/api/runs/${id}/reject`, {})).status).toBe(410);
  await site.deployment.worker.start();
  await site.untilReady();
  await site.until(id, 'completed');
  expect((await site.user.get(`/api/runs/${id}/state`)).body).toMatchObject({ values: { log: ['approved'] } });
  const decided = (await site.user.get(`/api/approvals/${id}.a1`)).body;
  expect(Date.parse(textAt(decided, '/decisions/0/at'))).toBeLessThan(expiresAt);
});

describe('an API that is lost', () => {
  test('an API that is lost during a decision leaves its idempotency key busy for at most 15 seconds, and the decision has counted once', async () => {
    const id = await site.startRun({ ask: { type: 'approval', title: 'May I?' }, pay: aCall('unsafe', 'approved') });
    await site.until(id, 'waiting');
    const headers = { 'idempotency-key': `decision ${id}` };
    const approve = () => site.approver.post(`/api/runs/${id}/approve`, {}, headers);
    // The worker that reports the outcome of the decision may respond too late.
    const { answer } = await loseApiDuring(approve, { refusals: ['REQUEST_IN_PROGRESS', 'UNAVAILABLE'] });
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
    await site.until(id, 'completed');
    expect(site.service.calls.map(({ job }) => job)).toEqual(['approved']);
    expect(await eventsOf(site.user, id, 'approval.decided')).toHaveLength(1);
  });

  test('an API that is lost before it responds to a start leaves a run that the repeated request returns', async () => {
    const graph = aDefinition({ name: 'unanswered', nodes: { a: aCall('unsafe', 'begun') } });
    const begun = async () => listAt((await site.user.get('/api/runs?graph=unanswered')).body, '/items');
    const headers = { 'idempotency-key': 'unanswered' };
    const { answer, found } = await loseApiDuring(() => site.user.post('/api/runs', { graph }, headers), {
      isBegun: begun,
    });
    expect(answer.status).toBe(201);
    const id = textAt(answer.body, '/id');
    await site.until(id, 'completed');
    expect(found).toMatchObject([{ id }]);
    expect(await begun()).toMatchObject([{ id }]);
    expect(site.service.calls.map(({ job }) => job)).toEqual(['begun']);
  });
});

/** Reads the store directly over one connection. */
async function withStore<T>(use: (client: DatabaseClient) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({ connectionString: site.deployment.databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The end of the lease of the only open request; `null` without one. */
async function leaseEnd(client: DatabaseClient): Promise<number | null> {
  const { rows } = await client.query<{ until: Date }>(
    'select lease_until as until from idempotency where status is null and lease_until > now()',
  );
  return rows[0]?.until.getTime() ?? null;
}

/** The expected `Retry-After` of each refusal. */
const RETRY_AFTER = { REQUEST_IN_PROGRESS: '1', UNAVAILABLE: '5' } as const;

interface LosingApi {
  /** A query that returns rows once the request has progressed far enough. */
  readonly isBegun?: (client: DatabaseClient) => Promise<readonly unknown[]>;
  /** The codes of the refusals that may precede the final response. */
  readonly refusals?: readonly (keyof typeof RETRY_AFTER)[];
}

const isLeased = async (client: DatabaseClient): Promise<readonly unknown[]> =>
  [await leaseEnd(client)].filter((end) => end !== null);

interface LostApi {
  /** The rows that showed that the request had progressed far enough. */
  readonly found: readonly unknown[];
  readonly busyUntil: number;
}

/** Kills the API during a request that would otherwise be answered after some seconds. */
async function killApiDuring(
  send: () => Promise<ApiAnswer>,
  isBegun: (client: DatabaseClient) => Promise<readonly unknown[]>,
): Promise<LostApi> {
  return await withStore(async (client) => {
    let found: readonly unknown[] = [];
    await site.deployment.temporal.suspend();
    const lost = send().catch((error: unknown) => error);
    await expect.poll(async () => (found = await isBegun(client)), PATIENTLY).not.toEqual([]);
    await site.deployment.api.kill();
    const goneAt = Date.now();
    expect(await lost).toMatchObject({ message: 'fetch failed' });
    const busyUntil = (await leaseEnd(client)) ?? 0;
    expect(busyUntil).toBeGreaterThan(goneAt);
    expect(busyUntil - goneAt).toBeLessThanOrEqual(15_000);
    return { found, busyUntil };
  });
}

/** Kills the API during a request, and repeats the request until it is answered. */
async function loseApiDuring(
  send: () => Promise<ApiAnswer>,
  { isBegun = isLeased, refusals = ['REQUEST_IN_PROGRESS'] }: LosingApi = {},
): Promise<{ answer: ApiAnswer; found: readonly unknown[] }> {
  const { found, busyUntil } = await killApiDuring(send, isBegun);
  await site.deployment.temporal.resume();
  await site.deployment.api.start();
  await site.untilReady();
  const answers: ApiAnswer[] = [];
  const answer = await repeated(async () => {
    const given = await send();
    answers.push(given);
    return given;
  });
  expect(Date.now()).toBeGreaterThanOrEqual(busyUntil);
  const allowed = refusals.map((code) => ({ code, retryAfter: RETRY_AFTER[code] }));
  for (const { body, headers } of answers.slice(0, -1))
    expect(allowed).toContainEqual({ code: textAt(body, '/code'), retryAfter: headers.get('retry-after') });
  return { answer, found };
}

describe('processes that start', () => {
  test('processes that start before Temporal and the database wait for them, log a message, and work when these are up', async () => {
    const { api, worker, temporal, postgres } = site.deployment;
    await Promise.all([api.kill(), worker.kill(), temporal.kill()]);
    await postgres.victim.kill();
    for (const process of [api, worker]) await process.start();
    for (const process of [api, worker]) {
      await process.said('waiting for Temporal');
      await process.said('waiting for the database');
    }
    const waiting = { status: 503, body: { detail: expect.stringMatching(/waits for .*Temporal/) } };
    expect(await site.user.get('/readyz')).toMatchObject(waiting);
    expect(await site.deployment.workerHealth.get('/readyz')).toMatchObject(waiting);
    const refused = await site.user.get('/api/runs');
    expect(refused).toMatchObject(waiting);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await site.user.get('/healthz')).toMatchObject({ status: 200 });
    await postgres.victim.start();
    await temporal.start();
    await site.untilReady();
    const id = await site.startRun({ a: aCall('keyed', 'late') });
    await site.until(id, 'completed');
  });

  test('processes that wait for Temporal and the database exit when they are requested to stop', async () => {
    const { api, worker, temporal } = site.deployment;
    await Promise.all([api.kill(), worker.kill(), temporal.kill()]);
    for (const process of [api, worker]) {
      await process.start();
      await process.said('waiting for Temporal');
      process.signal('SIGTERM');
      expect(await process.ended()).toBe(0);
    }
  });
});
