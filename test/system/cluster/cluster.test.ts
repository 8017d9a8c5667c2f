import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findSuite } from '../../../src/dev/conformance-suite.ts';
import { toReport } from '../../../src/dev/demo/report.ts';
import { runTicket } from '../../../src/dev/demo/run-ticket.ts';
import type { TicketResult } from '../../../src/dev/demo/run-ticket.ts';
import { readCases } from '../../../src/dev/demo/ticket.ts';
import type { TicketCase } from '../../../src/dev/demo/ticket.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { startFleet } from '../../support/cluster/fleet.ts';
import type { Fleet } from '../../support/cluster/fleet.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { aJob } from '../../support/readers/api-states.ts';
import { readInPieces } from '../../support/readers/cut-stream.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import type { ChildNode } from '../../support/servers/child-node.ts';
import { bundleNextVersion } from '../../support/servers/next-version.ts';
import { repeated } from '../../support/servers/site.ts';
import { runningAt, versionsIn } from '../../support/servers/worker-versions.ts';

/*
 * What is promised holds in production, too: with Temporal's server on PostgreSQL, the package as it is built, and two of
 * each process. CLUSTER_RUNS is how many runs there are while processes are killed.
 */

const RUNS = Number(process.env['CLUSTER_RUNS'] ?? 20);
const TICKETS_AT_A_TIME = 6;
const TIME = 600_000;

const cases = await readCases();

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
}, 180_000);
afterAll(() => fleet.stop());

test('the demo ends as expected, whichever API is asked', { timeout: TIME }, async () => {
  for (const runId of await playDemo(cases)) await expectWholeHistory(runId);
  expect(Math.min(...fleet.door.answered)).toBeGreaterThan(cases.length);
});

test.skipIf(!findSuite(process.env).isThere)(
  'themes of the conformance suite pass',
  { timeout: TIME },
  async ({ signal }) => {
    const themes = THEMES.flatMap((theme) => ['--theme', theme]);
    expect(await fleet.conform(themes, signal)).toBe(0);
  },
);

/* Those in which Temporal, the store and several processes take part. */
const THEMES = ['approvals', 'idempotency', 'joins', 'loops', 'state', 'subgraphs', 'tenancy', 'threads', 'waits'];

test('a stream whose API is killed goes on at the other: no event is missing, and none comes twice', async () => {
  const tell = (node: string) =>
    ({ type: 'llm', model: 'slow', prompt: node, write: { log: '{{ result.text }}' } }) as const;
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const runId = await startRun(aDefinition({ nodes: Object.fromEntries(nodes.map((node) => [node, tell(node)])) }));
  const open = async (after: string): Promise<Response> =>
    await fleet.open('user', `/api/runs/${runId}/events`, after === '' ? {} : { 'last-event-id': after });
  const staying = { characters: Number.POSITIVE_INFINITY, ms: TIME };
  const readings = Promise.all(Array.from({ length: 4 }, () => readInPieces({ open, nextCut: () => staying })));
  const user = fleet.patient('user');
  for (const api of fleet.apis) {
    await sleep(1_500);
    expect(await user.get(`/api/runs/${runId}`)).toMatchObject({ status: 'running' });
    await api.kill();
    await api.start();
  }
  const read = await readings;
  const history = await eventsOf(fleet.as('user'), runId);
  expect(read.map(({ events }) => events)).toEqual(read.map(() => history));
  expect(read.filter(({ lost }) => lost > 0).length).toBeGreaterThanOrEqual(2);
}, 120_000);

test('one key at both APIs at once is one run', async () => {
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
  expect(fleet.jobs.calls.map(({ job }) => job)).toEqual(['once']);
});

test(`${RUNS} runs end as expected while workers and APIs are killed by turns`, { timeout: TIME }, async () => {
  const played: string[] = [];
  const killed = await whileKilling(async () => {
    while (played.length < RUNS) {
      await fleet.resetShop();
      played.push(...(await playDemo(cases.slice(0, RUNS - played.length))));
    }
  });
  for (const runId of played) await expectWholeHistory(runId);
  expect(new Set(killed)).toEqual(new Set([...fleet.workers, ...fleet.apis]));
});

describe('a rolling upgrade', () => {
  test('leaves runs to the workers that began them, begins runs at the new ones, and loses nothing', async () => {
    const user = fleet.as('user');
    const HOLDFAST_WORKFLOW_BUNDLE = await writeNextVersion();
    const held = fleet.jobs.hold('long');
    const [waiting, busy] = [await startRun(asking), await startRun(working)];
    const release = await held;
    await user.untilRun(waiting, hasStatus('waiting'));

    await fleet.addVersion('2', { HOLDFAST_WORKFLOW_BUNDLE });
    const fresh = await startRun(asking);
    await user.untilRun(fresh, hasStatus('waiting'));
    release();
    for (const runId of [waiting, fresh]) await fleet.as('approver').post(`/api/runs/${runId}/approve`, {});
    for (const runId of [waiting, busy, fresh]) await user.untilRun(runId, hasStatus('completed'));
    expect(await Promise.all([waiting, busy, fresh].map(versionsOf))).toEqual([['1'], ['1'], ['2']]);

    const { workflow } = fleet.temporal;
    await expect.poll(async () => (await workflow.count(runningAt('1'))).count, PATIENTLY).toBe(0);
    await Promise.all(fleet.workers.map((worker) => worker.stop()));
    const last = await startRun(working);
    await user.untilRun(last, hasStatus('completed'));
    expect(await versionsOf(last)).toEqual(['2']);
    for (const runId of [waiting, busy, fresh, last]) await expectWholeHistory(runId);
    const jobs = fleet.jobs.calls.map(({ job }) => job).filter((job) => job !== 'once');
    expect(jobs.toSorted()).toEqual(['after', 'after', 'end', 'end', 'long', 'long', 'pay', 'pay']);
  }, 180_000);

  const PATIENTLY = { interval: 200, timeout: 60_000 };
  const asking = aDefinition({
    nodes: { pay: aJob('pay'), ask: { type: 'approval', title: 'Go on?' }, end: aJob('end') },
  });
  const working = aDefinition({ nodes: { long: aJob('long'), after: aJob('after') } });
});

async function startRun(graph: GraphDefinition): Promise<string> {
  return textAt((await fleet.as('user').post('/api/runs', { graph })).body, '/id');
}

/** Runs tickets, a few at a time; what has become of them is read at the shop, too. @returns the ids of the runs */
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

/** Kills workers and APIs by turns, each when the one before is back. @returns them in their order */
async function whileKilling(play: () => Promise<void>): Promise<readonly ChildNode[]> {
  const victims = fleet.workers.flatMap((worker, number) => [worker, fleet.apis[number] ?? worker]);
  const killed: ChildNode[] = [];
  const end = new AbortController();
  const kill = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const victim = victims[killed.length % victims.length];
      if (!victim) return;
      killed.push(victim);
      await victim.kill();
      await sleep(500);
      await victim.start();
      await sleep(500);
    }
  };
  const killing = kill();
  try {
    await Promise.race([play(), killing]);
  } finally {
    end.abort();
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

/** The versions that have worked at a run. */
async function versionsOf(runId: string): Promise<readonly string[]> {
  const executions = await executionsOf(fleet.temporal.workflow, runId);
  return [...new Set(executions.flatMap((history) => [...versionsIn(history)]))];
}

/** Writes the code of the next version into a file. @returns its path */
async function writeNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-next-version-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'workflow.js');
  await writeFile(file, await bundleNextVersion());
  return file;
}
