import { isDeepStrictEqual } from 'node:util';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client as PostgresClient } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { PATIENTLY, anAskingGraph, hasStatus } from '../../support/readers/api-runs.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startJobStack } from '../../support/servers/job-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* These are counts, not times, and the same as in docs/performance.md. A higher count raises the cost of every run. */

const SELDOM_MS = 3_600_000;

const teardown = openTeardown();
let stack: TestStack;
let workflow: TemporalClient['workflow'];
beforeAll(async () => {
  const tools = {
    job: {},
    look: { effect: 'idempotent' },
    glance: { effect: 'idempotent', timeout: '5s', execution: 'local' },
  } as const;
  // The background work of the API executes its statements at another time.
  const sweeping = {
    queuesMs: SELDOM_MS,
    dispatchMs: SELDOM_MS,
    terminatedRunsMs: SELDOM_MS,
    lostRunsMs: SELDOM_MS,
    poisonedRunsMs: SELDOM_MS,
    deliveriesMs: SELDOM_MS,
    firesMs: SELDOM_MS,
    syncSchedulesMs: SELDOM_MS,
    noticesMs: SELDOM_MS,
  };
  const jobs = await startJobStack({ tools, sweeping });
  teardown.add(() => jobs.stop());
  ({ stack } = jobs);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  teardown.add(() => connection.close());
  ({ workflow } = new TemporalClient({ connection, namespace: stack.namespace }));
});
afterAll(async () => {
  query.mockRestore();
  await teardown.run();
});

/** Statements about runs by purpose; the first match counts. */
const STATEMENTS: readonly (readonly [string, RegExp])[] = [
  ['chore', /where "ended_at" is null|select id from webhook_events where at <|^select 1$/],
  [
    'chore',
    /^\s*delete from "?(?:idempotency|stream_tickets|written_batches|memory|schedule_ticks|hook_messages|file_)/,
  ],
  // A process asks for overrides once a second at most, however many runs and calls there are.
  ['chore', /from "(?:switches|tenant_terms)"/],
  ['audit', /insert into audit/],
  ['accept', /insert into "runs"/],
  ['result with journal', /insert into ledger \([^)]*\bresult.*insert into events/s],
  ['claim with journal', /insert into ledger.*insert into events/s],
  ['claim', /insert into ledger/],
  ['journal', /insert into events/],
  ['complete', /update ledger/],
  ['find version', /^select "version", "pins" from "graphs"/],
  ['read run', /^select .* from "runs"/s],
  ['read approval', /^select .* from "approvals"/s],
  ['read retrying', /from "ledger".*"status" = /s],
];

const query = vi.spyOn(PostgresClient.prototype, 'query');
beforeEach(async () => {
  // The listening connection exists from the first waiting request on.
  await stack.as('user').post('/api/runs', { graph: pure, input: {} }, WAIT);
  query.mockClear();
});

/** The statements since the beginning of the test, in order, without the API's background work. */
function statementsSoFar(): readonly string[] {
  return query.mock.calls.flatMap(([asked]: readonly unknown[]) => {
    const text = typeof asked === 'object' && asked !== null && 'text' in asked ? String(asked.text) : String(asked);
    const kind = STATEMENTS.find(([, pattern]) => pattern.test(text))?.[0] ?? text;
    return kind === 'chore' ? [] : [kind];
  });
}

const WAIT = { prefer: 'wait=30' };
const pure: GraphDefinition = aDefinition({ nodes: { a: { type: 'set', write: { log: 'a' } } } });
const callOf = (tool: string): NodeDefinition => ({ type: 'tool', tool, args: { job: 'small' } });
const calling = (tool: string): GraphDefinition => aDefinition({ nodes: { a: callOf(tool) } });

async function start(graph: GraphDefinition, status: string): Promise<string> {
  const { body } = await stack.as('user').post('/api/runs', { graph, input: {} }, WAIT);
  expect(body).toMatchObject({ status });
  return textAt(body, '/id');
}

/** The cost of the run's workflow so far. */
async function costOf(runId: string): Promise<{ workflowTasks: number; activities: readonly string[] }> {
  const events = (await executionsOf(workflow, runId)).flatMap((history) => history.events ?? []);
  return {
    workflowTasks: events.filter((event) => event.workflowTaskCompletedEventAttributes).length,
    activities: events.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
  };
}

async function closed(runId: string): Promise<void> {
  await vi.waitUntil(async () => {
    const [last] = await executionsOf(workflow, runId);
    return last?.events?.at(-1)?.workflowExecutionCompletedEventAttributes;
  }, PATIENTLY);
}

/** The first periodic check of the API for silent runs comes after a second, so a faster run is measured alone. */
const QUICK_MS = 900;
const TRIES = 10;

/** Repeats a count that differs if the run was so slow that other work may be included. */
async function count<T>(expected: T, play: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    query.mockClear();
    const begun = performance.now();
    const cost = await play();
    const isQuick = performance.now() - begun < QUICK_MS;
    if (isQuick || tries === TRIES || isDeepStrictEqual(cost, expected)) return cost;
  }
}

/** The cost of a run until its end. */
async function wholeCost(graph: GraphDefinition) {
  const run = await start(graph, 'completed');
  const statements = statementsSoFar();
  await closed(run);
  return { statements, ...(await costOf(run)) };
}

test('a run of one pure node costs one database write to accept it, one to end it, and reads of its version and answer', async () => {
  const statements = ['find version', 'accept', 'journal', 'read run'];
  const cost = { statements, workflowTasks: 2, activities: ['record'] };
  expect(await count(cost, async () => await wholeCost(pure))).toEqual(cost);
});

test("a run of one tool call costs, besides a pure run's writes, one claim with the journal and one result", async () => {
  const statements = ['find version', 'accept', 'claim with journal', 'complete', 'journal', 'read run'];
  const cost = { statements, workflowTasks: 3, activities: ['callTool', 'record'] };
  expect(await count(cost, async () => await wholeCost(calling('job')))).toEqual(cost);
});

test('a run of one idempotent tool call writes result and journal in one database statement', async () => {
  const statements = ['find version', 'accept', 'result with journal', 'journal', 'read run'];
  const cost = { statements, workflowTasks: 3, activities: ['callTool', 'record'] };
  expect(await count(cost, async () => await wholeCost(calling('look')))).toEqual(cost);
});

test('a run of three local calls costs no more database statements than one without calls', async () => {
  const nodes = { a: callOf('glance'), b: callOf('glance'), c: callOf('glance') };
  const statements = ['find version', 'accept', 'journal', 'read run'];
  const cost = { statements, workflowTasks: 2, activities: ['record'] };
  expect(await count(cost, async () => await wholeCost(aDefinition({ nodes })))).toEqual(cost);
});

test('a run with an approval costs one database write until it waits, one for decision and end, and one for the audit', async () => {
  const cost = {
    untilItWaits: ['find version', 'accept', 'journal', 'read run', 'read retrying'],
    tasksUntilItWaits: 2,
    writesOfTheDecision: ['audit', 'journal'],
    workflowTasks: 4,
    activities: ['record', 'record'],
  };
  const counted = await count(cost, async () => {
    const run = await start(anAskingGraph(), 'waiting');
    const untilItWaits = statementsSoFar();
    // A decision that arrives before the workflow has received the result of its own write would share a workflow task
    // with it.
    await vi.waitUntil(async () => (await costOf(run)).workflowTasks >= 2, PATIENTLY);
    const { workflowTasks: tasksUntilItWaits } = await costOf(run);
    query.mockClear();
    const decided = await stack.as('approver').post(`/api/runs/${run}/approve`, {});
    expect(decided.status).toBe(200);
    await stack.as('user').untilRun(run, hasStatus('completed'));
    await closed(run);
    const writesOfTheDecision = statementsSoFar().filter((kind) => !kind.startsWith('read'));
    const decision = { writesOfTheDecision: writesOfTheDecision.toSorted(), ...(await costOf(run)) };
    return { untilItWaits, tasksUntilItWaits, ...decision };
  });
  expect(counted).toEqual(cost);
});

test('a run with a webhook costs no additional database statement', async () => {
  const webhook = await stack.as('user').post('/api/webhooks', { url: 'https://a.example', events: ['run.completed'] });
  const runs: string[] = [];
  const statements = ['find version', 'accept', 'journal', 'read run'];
  const counted = await count(statements, async () => {
    runs.push(await start(pure, 'completed'));
    return [...statementsSoFar()];
  });
  expect(counted).toEqual(statements);
  const log = await stack.as('user').get(`/api/webhooks/${textAt(webhook.body, '/id')}/deliveries`);
  expect(log.body).toMatchObject({ items: runs.map(() => ({ type: 'run.completed', status: 'pending' })) });
});
