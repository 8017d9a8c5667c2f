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

/* Counts, not times: docs/performance.md says the same. A count that goes up is a cost for every run there is. */

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
  // The chores of the API take their statements at another time.
  const sweeping = {
    queuesMs: SELDOM_MS,
    dispatchMs: SELDOM_MS,
    terminatedRunsMs: SELDOM_MS,
    lostRunsMs: SELDOM_MS,
    poisonedRunsMs: SELDOM_MS,
    deliveriesMs: SELDOM_MS,
    ticksMs: SELDOM_MS,
    healSchedulesMs: SELDOM_MS,
    noticesMs: SELDOM_MS,
  };
  const jobs = await startJobStack({ tools, sweeping });
  teardown.add(() => jobs.stop());
  ({ stack } = jobs);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  teardown.add(() => connection.close());
  ({ workflow } = new TemporalClient({ connection, namespace: stack.namespace }));
});
afterAll(async () => await teardown.run());

/** Statements about runs by what they do; the first that fits counts. */
const STATEMENTS: readonly (readonly [string, RegExp])[] = [
  ['chore', /where "ended_at" is null|delete from "idempotency"|^select 1$/],
  // A process asks for rulings once a second at most, however many runs and calls there are.
  ['chore', /from "(?:switches|tenant_terms)"/],
  ['audit', /insert into audit/],
  ['accept', /insert into "runs"/],
  ['result with journal', /insert into ledger \([^)]*\bresult.*insert into events/s],
  ['claim with journal', /insert into ledger.*insert into events/s],
  ['claim', /insert into ledger/],
  ['journal', /insert into events/],
  ['complete', /update ledger/],
  ['read run', /^select .* from "runs"/s],
  ['read approval', /^select .* from "approvals"/s],
  ['read retrying', /from "ledger".*"status" = /s],
];

const query = vi.spyOn(PostgresClient.prototype, 'query');
beforeEach(async () => {
  // A connection that listens is there from the first request on that waits.
  await stack.as('user').post('/api/runs', { graph: pure, input: {} }, WAIT);
  query.mockClear();
});

/** The statements since the test began, in order; what the API's chores do is left out. */
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

/** What the run's workflow has cost by now. */
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

test('a run of one pure node: a write that accepts it, one that ends it, and the read for its answer', async () => {
  const run = await start(pure, 'completed');
  expect(statementsSoFar()).toEqual(['accept', 'journal', 'read run']);
  await closed(run);
  expect(await costOf(run)).toEqual({ workflowTasks: 2, activities: ['record'] });
});

test('a run of one tool call: a claim that takes the journal along, and the result, besides', async () => {
  const run = await start(calling('job'), 'completed');
  expect(statementsSoFar()).toEqual(['accept', 'claim with journal', 'complete', 'journal', 'read run']);
  await closed(run);
  expect(await costOf(run)).toEqual({ workflowTasks: 3, activities: ['callTool', 'record'] });
});

test('a run of one idempotent tool call: its result and the journal in one write', async () => {
  const run = await start(calling('look'), 'completed');
  expect(statementsSoFar()).toEqual(['accept', 'result with journal', 'journal', 'read run']);
  await closed(run);
  expect(await costOf(run)).toEqual({ workflowTasks: 3, activities: ['callTool', 'record'] });
});

test('a run of three local calls: no more than one without calls', async () => {
  const nodes = { a: callOf('glance'), b: callOf('glance'), c: callOf('glance') };
  const run = await start(aDefinition({ nodes }), 'completed');
  expect(statementsSoFar()).toEqual(['accept', 'journal', 'read run']);
  await closed(run);
  expect(await costOf(run)).toEqual({ workflowTasks: 2, activities: ['record'] });
});

test('a run that asks: one write until it waits; one for the decision and the end, and one for the audit', async () => {
  const run = await start(anAskingGraph(), 'waiting');
  expect(statementsSoFar()).toEqual(['accept', 'journal', 'read run', 'read retrying']);
  // A decision that comes before the workflow has heard of its own write would share a task with that.
  await expect.poll(async () => (await costOf(run)).workflowTasks).toBe(2);
  query.mockClear();
  const decided = await stack.as('approver').post(`/api/runs/${run}/approve`, {});
  expect(decided.status).toBe(200);
  await stack.as('user').untilRun(run, hasStatus('completed'));
  await closed(run);
  const writes = statementsSoFar().filter((kind) => !kind.startsWith('read'));
  expect(writes.toSorted()).toEqual(['audit', 'journal']);
  expect(await costOf(run)).toEqual({ workflowTasks: 4, activities: ['record', 'record'] });
});

test('a run whose webhook is told of its end: no statement more', async () => {
  const webhook = await stack.as('user').post('/api/webhooks', { url: 'https://a.example', events: ['run.completed'] });
  query.mockClear();
  await start(pure, 'completed');
  expect(statementsSoFar()).toEqual(['accept', 'journal', 'read run']);
  const log = await stack.as('user').get(`/api/webhooks/${textAt(webhook.body, '/id')}/deliveries`);
  expect(log.body).toMatchObject({ items: [{ type: 'run.completed', status: 'pending' }] });
});
