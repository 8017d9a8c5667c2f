import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { ApiAnswer } from '../support/readers/api-client.ts';
import { eventsOf, readAll } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { BOUND_MS, aCall, repeated, startSite } from '../support/servers/site.ts';
import type { Models, Site } from '../support/servers/site.ts';

/*
 * Temporal, PostgreSQL, and the called services are each down for a whole minute, in separate deployments, while calls
 * are open, an approval is pending, and requests arrive every second. Refusals are clear; every accepted request is
 * executed once, and everything continues without help. The tests run concurrently because they mostly wait.
 */

vi.setConfig({ testTimeout: 300_000 });
const MINUTE_MS = 60_000;
/** The interval of requests. */
const SECOND_MS = 1_000;
const TOOL = { timeout: '5m', retry: { maxAttempts: 100, maxInterval: '5s' } };
/** The retries of the second model follow the recommendation of docs/models.md for an outage of a minute. */
const models: Models = (scripted) => ({ default: scripted, patient: { ...scripted, retry: { maxAttempts: 8 } } });

const aQuestionTo = (model: string) =>
  ({ type: 'llm', model, prompt: 'Say something.', write: { log: 'said' } }) as const;

/** The calls that are open when the outage begins, one per run: the job, and its tool. */
const OUT = { keyed: 'keyed', short: 'unsafe', long: 'unsafe' } as const;
type Job = keyof typeof OUT;

interface CallOut {
  readonly job: Job;
  readonly id: string;
  readonly release: () => void;
}

async function callOut(site: Site, job: Job): Promise<CallOut> {
  const held = site.service.hold(job);
  const id = await site.startRun({ a: aCall(OUT[job], job) });
  return { job, id, release: await held };
}

type Kind = 'start' | 'read' | 'approve';

interface Asked {
  readonly kind: Kind;
  readonly name: string;
  readonly answer: ApiAnswer;
  readonly tookMs: number;
  /** True while the outage lasts. */
  readonly isDuring: boolean;
}

/** The requests of people; an unsuccessful one is repeated. */
function requestsTo({ user, approver }: Site, asking: string) {
  return {
    start: (name: string) => {
      const graph = aDefinition({ name: 'new', nodes: { a: aCall('keyed', name) } });
      return user.post('/api/runs', { graph }, { 'idempotency-key': name });
    },
    read: () => user.get(`/api/runs/${asking}`),
    approve: () => approver.post(`/api/runs/${asking}/approve`, {}, { 'idempotency-key': `approve ${asking}` }),
  };
}

type Requests = ReturnType<typeof requestsTo>;

/** Each second one request starts a run, one reads a run, and one decides unless the last decision is unanswered. */
async function askForAMinute(requests: Requests, inTheEnd: () => Promise<unknown>): Promise<readonly Asked[]> {
  const asked: Promise<Asked>[] = [];
  let isDuring = true;
  const ask = async (kind: Kind, name = ''): Promise<Asked> => {
    const began = Date.now();
    const answer = await requests[kind](name);
    return { kind, name, answer, tookMs: Date.now() - began, isDuring };
  };
  let isDeciding = false;
  const decide = async (): Promise<Asked> => {
    isDeciding = true;
    return await ask('approve').finally(() => (isDeciding = false));
  };
  const began = Date.now();
  // A request that is overdue is sent at once.
  for (let atMs = SECOND_MS; atMs < MINUTE_MS; atMs += SECOND_MS) {
    await sleep(Math.max(0, began + atMs - Date.now()));
    asked.push(ask('start', `new ${asked.length}`), ask('read'), ...(isDeciding ? [] : [decide()]));
  }
  await sleep(Math.max(0, began + MINUTE_MS - Date.now()));
  // Requests that are answered from now on may have reached the restored service.
  isDuring = false;
  await inTheEnd();
  return await Promise.all(asked);
}

const ACCEPTED: ReadonlySet<number> = new Set([200, 201]);

/** No response is late, and each refusal states its reason and when to retry. */
function expectClear({ answer: { status, headers, body }, tookMs }: Asked): void {
  expect(tookMs).toBeLessThan(BOUND_MS);
  if (ACCEPTED.has(status)) return;
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { status: 503, code: 'UNAVAILABLE', detail: expect.stringContaining("can't be reached at the moment") },
  });
  expect(headers.get('content-type')).toContain('application/problem+json');
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

function statusesOf(asked: readonly Asked[], kind: Kind): number[] {
  return [...new Set(asked.filter((one) => one.kind === kind).map(({ answer }) => answer.status))];
}

/** Repeats all requests: a refused one starts a run now, an accepted one returns its run. @returns their ids */
async function startAgain({ start }: Requests, asked: readonly Asked[]): Promise<string[]> {
  const starts = asked.filter(({ kind }) => kind === 'start');
  const answers = await Promise.all(starts.map(({ name }) => repeated(() => start(name))));
  const ids = answers.map(({ body }) => textAt(body, '/id'));
  const promised = starts.map(({ answer }, rank) => (answer.status === 201 ? textAt(answer.body, '/id') : ids[rank]));
  expect(ids).toEqual(promised);
  return ids;
}

/** Each job was executed once, and each call made once, apart from repetitions of keyed calls under their key. */
function expectOnce({ calls, done }: JobService, jobs: readonly string[]): void {
  expect(done.toSorted()).toEqual(jobs.toSorted());
  const different = new Set(calls.map(({ job, key }) => `${job} under ${key}`));
  expect(different.size).toBe(jobs.length);
  const unsafe: readonly string[] = ['short', 'long', 'approved'];
  expect(calls.filter(({ job }) => unsafe.includes(job))).toHaveLength(unsafe.length);
}

async function expectOneDecision({ user }: Site, asking: string): Promise<void> {
  expect(listAt((await user.get(`/api/approvals?runId=${asking}`)).body, '/items/0/decisions')).toHaveLength(1);
  expect(await eventsOf(user, asking, 'approval.decided')).toHaveLength(1);
}

function livesOf({ deployment: { api, worker } }: Site): readonly number[] {
  return [api, worker].flatMap(({ pid, ownEnds }) => [pid, ownEnds]);
}

/** Resolves interrupted calls: people check the other side's records and find that the job was executed. */
async function skipUnknown(site: Site, { id, job }: CallOut): Promise<void> {
  await site.until(id, 'waiting');
  const { user } = site;
  expect(await eventsOf(user, id, 'node.failed')).toMatchObject([{ node: 'a', error: { code: 'UNKNOWN_OUTCOME' } }]);
  expect(await user.post(`/api/runs/${id}/skip`, { node: 'a', output: { job } })).toMatchObject({ status: 202 });
}

/** One model is retried long enough. The other fails, and is retried by a person. */
async function askModels(site: Site): Promise<() => Promise<void>> {
  const [patient, impatient] = [
    await site.startRun({ a: aQuestionTo('patient') }),
    await site.startRun({ a: aQuestionTo('default') }),
  ];
  const { user } = site;
  await site.until(impatient, 'failed');
  expect((await user.get(`/api/runs/${impatient}`)).body).toMatchObject({
    error: { code: 'MODEL_FAILED', node: 'a', message: expect.stringContaining('The connection failed') },
  });
  return async () => {
    expect(await user.post(`/api/runs/${impatient}/retry`, {})).toMatchObject({ status: 202 });
    for (const id of [patient, impatient]) await site.until(id, 'completed');
    const [called] = await eventsOf(user, patient, 'model.called');
    expect(at(called ?? null, '/attempts')).toBeGreaterThan(DEFAULTS.retry.maxAttempts);
  };
}

interface Outage {
  readonly what: string;
  /** The expected statuses of requests during the outage. */
  readonly answers: Readonly<Record<Kind, readonly number[]>>;
  readonly begin: (site: Site) => Promise<void>;
  readonly end: (site: Site) => Promise<void>;
  /** Additional actions during the outage. @returns the actions to take afterwards */
  readonly meanwhile?: (site: Site, unsafe: readonly CallOut[]) => Promise<() => Promise<void>>;
}

const OUTAGES: readonly Outage[] = [
  {
    what: 'Temporal',
    answers: { start: [201], read: [200], approve: [503] },
    begin: ({ deployment }) => deployment.temporal.kill(),
    end: ({ deployment }) => deployment.temporal.start(),
  },
  {
    what: 'the database',
    answers: { start: [503], read: [503], approve: [503] },
    begin: ({ deployment }) => deployment.postgres.victim.suspend(),
    end: ({ deployment }) => deployment.postgres.victim.resume(),
  },
  {
    what: 'the called services',
    answers: { start: [201], read: [200], approve: [200] },
    begin: async ({ model, service }) => void (await Promise.all([model.goOffline(), service.goOffline()])),
    end: async ({ model, service }) => void (await Promise.all([model.goOnline(), service.goOnline()])),
    async meanwhile(site, unsafe) {
      const askAgain = await askModels(site);
      return async () => {
        for (const call of unsafe) await skipUnknown(site, call);
        await askAgain();
      };
    },
  },
];

const sites = new Map<string, Site>();
beforeAll(async () => {
  // Sequentially, because each deployment chooses free ports.
  for (const { what } of OUTAGES) {
    sites.set(what, await startSite({ tool: TOOL, models }));
  }
}, 300_000);
afterAll(async () => void (await Promise.all([...sites.values()].map((site) => site.stop()))), 120_000);

function siteWithout(what: string): Site {
  const site = sites.get(what);
  if (!site) throw new Error(`There is no site from which ${what} goes away`);
  return site;
}

describe.concurrent('an outage of a whole minute', () => {
  test.each(OUTAGES)(
    'an outage of $what for a minute loses and repeats no call, and all runs continue',
    async (outage) => {
      const site = siteWithout(outage.what);
      const asking = await site.startRun({
        ask: { type: 'approval', title: 'May I?' },
        pay: aCall('unsafe', 'approved'),
      });
      await site.until(asking, 'waiting');
      const [keyed, short, long] = [
        await callOut(site, 'keyed'),
        await callOut(site, 'short'),
        await callOut(site, 'long'),
      ];
      const lives = livesOf(site);
      const requests = requestsTo(site, asking);

      await outage.begin(site);
      for (const { release } of [keyed, short]) release();
      const [asked, mend] = await Promise.all([
        askForAMinute(requests, () => outage.end(site)),
        outage.meanwhile?.(site, [short, long]),
      ]);
      long.release();

      for (const one of asked) expectClear(one);
      const during = asked.filter(({ isDuring }) => isDuring);
      for (const kind of ['start', 'read', 'approve'] as const)
        expect([kind, statusesOf(during, kind)]).toEqual([kind, outage.answers[kind]]);
      await site.untilReady();
      expect(await repeated(requests.approve)).toMatchObject({ status: 200, body: { status: 'approved' } });
      const started = await startAgain(requests, asked);
      expect(started.length).toBeGreaterThan(50);
      await mend?.();
      for (const id of [asking, keyed.id, short.id, long.id, ...started]) await site.until(id, 'completed');

      const names = asked.filter(({ kind }) => kind === 'start').map(({ name }) => name);
      expectOnce(site.service, ['keyed', 'short', 'long', 'approved', ...names]);
      expect(await readAll(site.user, '/api/runs?graph=new')).toHaveLength(started.length);
      await expectOneDecision(site, asking);
      expect(livesOf(site)).toEqual(lives);
    },
  );
});
