import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findSuite } from '../../../src/dev/conformance.ts';
import { toReport } from '../../../src/dev/demo/report.ts';
import { runTicket } from '../../../src/dev/demo/run-ticket.ts';
import type { TicketResult } from '../../../src/dev/demo/run-ticket.ts';
import { readCases } from '../../../src/dev/demo/ticket.ts';
import type { TicketCase } from '../../../src/dev/demo/ticket.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { startFleet } from '../../support/cluster/fleet.ts';
import type { Fleet } from '../../support/cluster/fleet.ts';
import { provideTemporalBinaries } from '../../support/cluster/temporal-binaries.ts';
import { DYNAMIC_CONFIG } from '../../support/cluster/temporal-cluster.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { aJob } from '../../support/readers/api-states.ts';
import { readInPieces } from '../../support/readers/cut-stream.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import type { ChildNode } from '../../support/servers/child-node.ts';
import { bundleNextVersion } from '../../support/servers/next-version.ts';
import { repeated } from '../../support/servers/site.ts';
import { makeCurrent, runningOnVersion, upgradeRunsOf, versionsIn } from '../../support/servers/worker-versions.ts';

/*
 * The guarantees hold in production, too: with a Temporal server on PostgreSQL, the built package, and two of each
 * process. CLUSTER_RUNS is the number of runs while processes are killed.
 */

const RUNS = Number(process.env['CLUSTER_RUNS'] ?? 20);
const TICKETS_AT_A_TIME = 6;
const TIME = 600_000;

const cases = await readCases();

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
}, TIME);
afterAll(() => fleet.stop());
beforeEach(() => fleet.jobs.forget());

test('the Temporal server of the cluster accepts its settings', async () => {
  const { server } = await provideTemporalBinaries(() => undefined);
  const { stdout } = await promisify(execFile)(server, ['validate-dynamic-config', DYNAMIC_CONFIG]);
  expect(stdout.trim()).toBe(DYNAMIC_CONFIG);
});

test('the demo ends as expected with either API of the cluster', { timeout: TIME }, async () => {
  for (const runId of await playDemo(cases)) await expectWholeHistory(runId);
  expect(Math.min(...fleet.loadBalancer.answered)).toBeGreaterThan(cases.length);
});

test.skipIf(!findSuite(process.env).isThere)(
  'the selected themes of the conformance suite pass on the cluster',
  { timeout: TIME },
  async ({ signal }) => {
    const failed = await fleet.conform(THEMES, signal);
    expect(failed.filter((id) => id !== METRICS_WITHOUT_TOKEN)).toEqual([]);
  },
);

/* The scenario that reads `GET /metrics` without a token, which only an API on a local stack allows. */
const METRICS_WITHOUT_TOKEN = 'TENANT-06';

/* All themes but redaction, which has a scenario whose hidden value equals the name of its graph. */
const THEMES = [
  'approvals',
  'approvals-hold',
  'breakpoints',
  'diagrams',
  'errors',
  'idempotency',
  'joins',
  'loops',
  'models',
  'problems',
  'reducers',
  'state',
  'subgraphs',
  'tenancy',
  'threads',
  'topology',
  'validation',
  'waits',
];

test('an event stream whose API is killed continues at the other API without missing or repeated events', async () => {
  const tell = (node: string) =>
    ({ type: 'llm', model: 'slow', prompt: node, write: { log: '{{ result.text }}' } }) as const;
  // The run waits until both are back, however long that takes.
  const held = fleet.jobs.hold('last');
  const nodes = { a: tell('a'), b: tell('b'), c: tell('c'), d: tell('d'), last: aJob('last') };
  const runId = await startRun(aDefinition({ nodes }));
  const open = async (after: string): Promise<Response> =>
    await fleet.open('user', `/api/runs/${runId}/events`, after === '' ? {} : { 'last-event-id': after });
  const staying = { characters: Number.POSITIVE_INFINITY, ms: TIME };
  const readings = Promise.all(Array.from({ length: 4 }, () => readInPieces({ open, nextCut: () => staying })));
  for (const api of fleet.apis) {
    await sleep(1_000);
    await api.kill();
    await api.start();
  }
  const release = await held;
  release();
  const read = await readings;
  const history = await eventsOf(fleet.as('user'), runId);
  expect(read.map(({ events }) => events)).toEqual(read.map(() => history));
  expect(read.filter(({ lost }) => lost > 0).length).toBeGreaterThanOrEqual(2);
}, 120_000);

test('one Idempotency-Key sent to both APIs at once starts one run', async () => {
  const graph = aDefinition({ name: 'asked-of-both', nodes: { job: aJob('once') } });
  const headers = { 'idempotency-key': 'asked of both' };
  const ask = async (_: unknown, number: number) =>
    await repeated(() => fleet.at(number % 2, 'user').post('/api/runs', { graph }, headers));
  const answers = await Promise.all(Array.from({ length: 10 }, ask));
  const [id, ...others] = new Set(answers.map(({ body }) => textAt(body, '/id')));
  expect(others).toEqual([]);
  await fleet.as('user').untilRun(id ?? '', hasStatus('completed'));
  const found = await fleet.as('user').get('/api/runs?graph=asked-of-both');
  expect(listAt(found.body, '/items')).toHaveLength(1);
  expect(jobsAsked()).toEqual(['once']);
});

test(
  `${RUNS} runs of a cluster end as expected while workers and APIs are killed in turn`,
  { timeout: TIME },
  async () => {
    const played: string[] = [];
    const all = [...fleet.workers, ...fleet.apis];
    const killed = await whileKilling(async (soFar) => {
      while (played.length < RUNS || all.some((victim) => !soFar.includes(victim))) {
        await fleet.resetShop();
        played.push(...(await playDemo(cases.slice(0, Math.max(RUNS - played.length, TICKETS_AT_A_TIME)))));
      }
    });
    expect(played.length).toBeGreaterThanOrEqual(RUNS);
    for (const runId of played) await expectWholeHistory(runId);
    process.stdout.write(`${JSON.stringify({ runs: played.length, kills: killed.length })}\n`);
  },
);

describe('a rolling upgrade', () => {
  const PATIENTLY = { interval: 200, timeout: 60_000 };
  const asking = aDefinition({
    nodes: { pay: aJob('pay'), ask: { type: 'approval', title: 'Go on?' }, end: aJob('end') },
  });
  const working = aDefinition({ nodes: { long: aJob('long'), after: aJob('after') } });
  const approve = async (runId: string): Promise<void> => {
    const once = { 'idempotency-key': `approve ${runId}` };
    await repeated(() => fleet.as('approver').post(`/api/runs/${runId}/approve`, {}, once));
  };

  test(
    'a rolling upgrade leaves runs to the workers that began them until these stop, and loses no run',
    { timeout: TIME },
    async () => {
      const user = fleet.as('user');
      const HOLDFAST_WORKFLOW_BUNDLE = await writeNextVersion();
      const held = fleet.jobs.hold('long');
      const [waiting, idle, busy] = [await startRun(asking), await startRun(asking), await startRun(working)];
      const release = await held;
      for (const runId of [waiting, idle]) await user.untilRun(runId, hasStatus('waiting'));

      await fleet.addWorkers('2', { HOLDFAST_WORKFLOW_BUNDLE });
      await makeCurrent(fleet.cli, '2');
      const fresh = await startRun(asking);
      await user.untilRun(fresh, hasStatus('waiting'));
      release();
      for (const runId of [waiting, fresh]) await approve(runId);
      for (const runId of [waiting, busy, fresh]) await user.untilRun(runId, hasStatus('completed'));
      expect(await Promise.all([waiting, busy, fresh].map(versionsOf))).toEqual([['1'], ['1'], ['2']]);

      await upgradeRunsOf(fleet.cli, '1');
      const { workflow } = fleet.temporal;
      await expect.poll(async () => (await workflow.count(runningOnVersion('1'))).count, PATIENTLY).toBe(0);
      await Promise.all(fleet.workers.map((worker) => worker.stop()));
      await approve(idle);
      const last = await startRun(working);
      for (const runId of [idle, last]) await user.untilRun(runId, hasStatus('completed'));
      expect(await Promise.all([idle, last].map(versionsOf))).toEqual([['1', '2'], ['2']]);
      for (const runId of [waiting, idle, busy, fresh, last]) await expectWholeHistory(runId);
      const isLong = (job: string): boolean => job === 'long';
      const short = jobsAsked().filter((job) => !isLong(job));
      expect(short.toSorted()).toEqual(['after', 'after', 'end', 'end', 'end', 'pay', 'pay', 'pay']);
      // A long call whose heartbeat is late, because processes start next to its worker, is made again under its key.
      expect(fleet.jobs.done.filter(isLong)).toEqual(['long', 'long']);
    },
  );
});

/** The jobs of all calls, including repeated ones. */
const jobsAsked = (): readonly string[] => fleet.jobs.calls.map(({ job }) => job);

async function startRun(graph: GraphDefinition): Promise<string> {
  return textAt((await fleet.as('user').post('/api/runs', { graph })).body, '/id');
}

/** Runs tickets, a few at a time, and compares the results with the shop. @returns the ids of the runs */
async function playDemo(tickets: readonly TicketCase[]): Promise<readonly string[]> {
  const [user, approver] = [fleet.patient('user'), fleet.patient('approver')];
  const waiting = [...tickets];
  const results: TicketResult[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      results.push(await runTicket({ graph: 'refund-triage', user, approver, say: () => undefined }, next));
  };
  await Promise.all(Array.from({ length: TICKETS_AT_A_TIME }, work));
  const report = await toReport(tickets, results, fleet.accounts);
  expect(report).toHaveLength(tickets.length);
  expect(report.filter(({ differences }) => differences.length > 0)).toEqual([]);
  return results.map(({ runId }) => runId);
}

/**
 * Kills the workers in turn, and the APIs, each when the previous one is back.
 * @param play the work in the meantime; it receives the processes killed so far
 * @returns all processes that were killed
 */
async function whileKilling(play: (soFar: readonly ChildNode[]) => Promise<void>): Promise<readonly ChildNode[]> {
  const killed: ChildNode[] = [];
  let isOver = false;
  const killByTurns = async (victims: readonly ChildNode[]): Promise<void> => {
    for (const victim of victims) {
      if (isOver) return;
      killed.push(victim);
      await victim.kill();
      await sleep(300);
      await victim.start();
    }
    return await killByTurns(victims);
  };
  const killing = Promise.all([killByTurns(fleet.workers), killByTurns(fleet.apis)]);
  try {
    await Promise.race([play(killed), killing]);
  } finally {
    isOver = true;
    await killing;
  }
  return killed;
}

async function expectWholeHistory(runId: string): Promise<void> {
  const events = await eventsOf(fleet.as('user'), runId);
  expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, before) => before + 1));
  const ofRun = events.map((event) => textAt(event, '/type')).filter((type) => /^run\.(started|completed)$/.test(type));
  expect(ofRun).toEqual(['run.started', 'run.completed']);
}

/** The versions of the workers that executed a run. */
async function versionsOf(runId: string): Promise<readonly string[]> {
  const executions = await executionsOf(fleet.temporal.workflow, runId);
  return [...new Set(executions.flatMap((history) => [...versionsIn(history)]))];
}

/** Writes the workflow code of the next version to a file. @returns its path */
async function writeNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-next-version-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'workflow.js');
  await writeFile(file, await bundleNextVersion());
  return file;
}
