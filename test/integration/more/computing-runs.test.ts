import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { toWorkflowId } from '../../../src/workflows/contract.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import type { JobService } from '../../support/doubles/job-service.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import type { HistoryEvent } from '../../support/readers/executions.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { startJobStack } from '../../support/servers/job-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* Runs that compute for long with few events. */

/** The number of yields after which an execution continues as new. */
const YIELDS = 10;
/** One yield detects that the limit is reached; another is possible if a call or a new execution wrote its journal. */
const TOLERANCE = 2;

/** Enough time for some dozens of yields on a busy machine. */
const PATIENCE_MS = 400_000;

let stack: TestStack;
let service: JobService;
let connection: Connection;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ stack, service, stop } = await startJobStack({ tools: { job: { timeout: '30m' } } }));
  connection = await Connection.connect({ address: stack.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await stop();
});

/** A graph that yields after each superstep because of its cost. */
function computing(supersteps: number): GraphDefinition {
  const dear = '{{ state.l.exists(x, state.l.exists(y, x + y < 0)) }}';
  return aDefinition({
    channels: {
      l: { default: Array.from({ length: 230 }, (_, item) => item) },
      n: { default: 0 },
      a: {},
      b: {},
      c: {},
    },
    output: ['n'],
    nodes: { again: { type: 'set', write: { a: dear, b: dear, c: dear, n: '{{ state.n + 1 }}' } } },
    edges: [
      { from: '__start__', to: 'again' },
      { from: 'again', branches: [{ when: `state.n < ${supersteps}`, to: 'again' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: supersteps },
  });
}

const client = (): Client => new Client({ connection, namespace: stack.namespace });

async function start(graph: GraphDefinition): Promise<string> {
  const { body } = await stack.as('user').post('/api/runs', { graph, input: {} });
  return textAt(body, '/id');
}

/** The number of yields of each execution of a run; each yield writes the journal. */
async function yieldsOf(runId: string): Promise<readonly number[]> {
  const executions = await executionsOf(client().workflow, runId);
  return executions.map(({ events }) => (events ?? []).filter(isWrite).length);
}

function isWrite({ activityTaskScheduledEventAttributes: scheduled }: HistoryEvent): boolean {
  return scheduled?.activityType?.name === 'record';
}

async function expectNumbered(runId: string): Promise<void> {
  const numbers = (await eventsOf(stack.as('user'), runId)).map((event) => at(event, '/seq'));
  expect(numbers).toEqual(numbers.map((_, before) => before + 1));
}

test(
  'a run that computes for long continues in new executions and after its worker is replaced',
  async () => {
    const supersteps = YIELDS + 8;
    const id = await start(computing(supersteps));
    await stack.as('user').untilRun(id, (run) => Number(at(run, '/step')) > YIELDS + 1, PATIENCE_MS);
    await stack.reload();
    const run = await stack.as('user').untilRun(id, hasStatus('completed'), PATIENCE_MS);
    expect(run).toMatchObject({ output: { n: supersteps } });
    const yields = await yieldsOf(id);
    expect(yields.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...yields)).toBeLessThanOrEqual(YIELDS + TOLERANCE);
    await expectNumbered(id);
  },
  3 * PATIENCE_MS,
);

/** Waits until a run only waits for the call of a tool. */
async function untilOnlyCalling(runId: string): Promise<void> {
  const handle = client().workflow.getHandle(toWorkflowId({ tenantId: 'demo', id: runId }));
  const pending = async (): Promise<unknown> => {
    const { raw } = await handle.describe();
    const activities = raw.pendingActivities?.map(({ activityType }) => activityType?.name);
    return raw.pendingWorkflowTask ? 'a task' : activities;
  };
  await expect.poll(pending, { interval: 50, timeout: PATIENCE_MS }).toEqual(['callTool']);
}

test(
  'a subgraph that computes too much fails its node, and the run fails after its open call ends',
  async () => {
    const held = service.hold('slow');
    const id = await start(
      aDefinition({
        channels: { n: {} },
        output: ['n'],
        nodes: {
          slow: { type: 'tool', tool: 'job', args: { job: 'slow' } },
          inside: { type: 'subgraph', graph: computing(100), write: { n: '{{ result.n }}' } },
        },
        edges: [{ from: '__start__', to: ['slow', 'inside'] }],
      }),
    );
    const release = await held;
    await untilOnlyCalling(id);
    release();
    const run = await stack.as('user').untilRun(id, hasStatus('failed'), PATIENCE_MS);
    expect(at(run, '/error')).toMatchObject({
      code: 'EXPRESSION_FAILED',
      node: 'inside',
      message: expect.stringContaining('the superstep has computed more than it may'),
    });
    expect(service.done).toEqual(['slow']);
    await expectNumbered(id);
  },
  3 * PATIENCE_MS,
);
