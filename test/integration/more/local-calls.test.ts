import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { createDataConverter } from '../../../src/process/data-converter.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aGraphOf, eventsOf } from '../../support/readers/api-runs.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { blobsOf } from '../../support/readers/recordings.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
let connection: Connection;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('./local-calls.config.ts', import.meta.url)));
  connection = await Connection.connect({ address: stack.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await stack.stop();
});

const user = (): ReturnType<TestStack['as']> => stack.as('user');
const { runOf, until, control } = createRunControls(user);

async function start(graph: GraphDefinition, input: JsonObject = {}): Promise<string> {
  return textAt((await user().post('/api/runs', { graph, input })).body, '/id');
}

const calledOf = async (id: string): Promise<Json[]> => await eventsOf(user(), id, 'tool.called');

/** The types of the events that Temporal has recorded of a run, over all executions. */
async function typesOf(id: string): Promise<readonly string[]> {
  const { workflow } = new Client({ connection, namespace: stack.namespace });
  const executions = await executionsOf(workflow, id);
  return executions.flatMap(({ events }) => (events ?? []).map(({ eventType }) => String(eventType)));
}

/** The number of events of each type. */
async function recordedOf(id: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const type of await typesOf(id)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/** The number of local calls in each workflow task. */
function callsByTask(types: readonly string[]): readonly number[] {
  const ends = types.flatMap((type, at) => (type === TASK_COMPLETED ? [at] : []));
  return ends.map((end, nth) => types.slice(end, ends[nth + 1]).filter((type) => type === MARKER).length);
}

/** Types of Temporal's events. */
const TASK_COMPLETED = '7';
const MARKER = '25';
const SIGNALED = '26';
const SCHEDULED = '10';
const CONTINUED = '28';

const looks = (args: JsonObject = {}, over: object = {}): NodeDefinition => ({
  type: 'tool',
  tool: 'look',
  args,
  ...over,
});
const slow = (ms: number, over: object = {}): NodeDefinition => looks({ ms }, { tool: 'lookSlowly', ...over });

/** A node in a loop with the given number of visits. */
function aLoop(times: number, node: NodeDefinition): GraphDefinition {
  return aDefinition({
    channels: { count: { default: 0 } },
    nodes: { again: { ...node, write: { count: '{{ state.count + 1 }}' } } },
    edges: [
      { from: '__start__', to: 'again' },
      { from: 'again', branches: [{ when: `state.count < ${times}`, to: 'again' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: times },
  });
}

/** A task for each number from 0. */
function aFan(node: NodeDefinition): GraphDefinition {
  return aDefinition({
    channels: { items: {}, done: { reducer: 'append' } },
    nodes: { each: { ...node, write: { done: '{{ item }}' } } },
    edges: [{ from: '__start__', forEach: 'state.items', to: 'each' }],
  });
}
const numbers = (length: number): JsonObject => ({ items: Array.from({ length }, (_, item) => item) });

async function expectReplay(id: string): Promise<void> {
  const { body } = await user().post(`/api/runs/${id}/replay`, {});
  expect(at(body, '/divergence')).toBeNull();
}

describe('short idempotent calls', () => {
  test('short idempotent calls of a long run are made without activities over several executions, and the run replays', async () => {
    const id = await start(aLoop(400, looks({ at: '{{ state.count }}' })));
    expect(await until(id, 'completed')).toMatchObject({ output: { count: 400 }, usage: { toolCalls: 400 } });
    const called = await calledOf(id);
    expect(called.map((event) => [at(event, '/result/at'), at(event, '/local')])).toEqual(
      Array.from({ length: 400 }, (_, count) => [count, true]),
    );
    const recorded = await recordedOf(id);
    expect(recorded.get(MARKER)).toBe(400);
    expect(recorded.get(CONTINUED)).toBeGreaterThan(0);
    expect(recorded.get(SCHEDULED)).toBeLessThan(40);
    await expectReplay(id);
  });

  test('local calls of functions record in the history what a replay needs', async () => {
    const double: NodeDefinition = { type: 'function', function: 'double', args: { n: 21 }, execution: 'local' };
    const id = await start(aGraphOf({ ...double, write: 'answer' }));
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: { twice: 42 } } });
    expect((await recordedOf(id)).get(MARKER)).toBe(1);
    await expectReplay(id);
  });

  test('local calls are readable in the history while later ones are made', async () => {
    const id = await start(aLoop(30, slow(150)));
    await expect.poll(async () => (await calledOf(id)).length).toBeGreaterThan(2);
    expect(await runOf(id)).toMatchObject({ status: 'running' });
    await control(id, 'cancel');
    await until(id, 'canceled');
  });

  test('local calls of one superstep are limited to the concurrency of the run', async () => {
    const id = await start(aFan(looks({ at: '{{ item }}' })), numbers(300));
    expect(listAt(await until(id, 'completed'), '/output/done')).toHaveLength(300);
    expect((await calledOf(id)).filter((event) => at(event, '/local') === true)).toHaveLength(300);
  });

  test('local calls can return more in total than one request to Temporal may hold', async () => {
    const id = await start(aFan(looks({ bytes: 60_000 }, { tool: 'lookAtMuch' })), numbers(90));
    expect(listAt(await until(id, 'completed'), '/output/done')).toHaveLength(90);
  });

  test('local calls can return and receive more than a Temporal history may hold', async () => {
    const looksAtMuch = looks({ bytes: 300_000, given: '{{ state.given }}' }, { tool: 'lookAtMuch' });
    const id = await start(aGraphOf({ ...looksAtMuch, write: { answer: '{{ size(result) }}' } }), {
      given: 'y'.repeat(200_000),
    });
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: 300_000 } });
  });

  test.each([
    ['if its node requires an activity', looks({}, { execution: 'activity' })],
    ['if its tool requires an activity', looks({}, { tool: 'ask' })],
    ['if it can be compensated', looks({}, { compensate: { tool: 'look' } })],
  ])('an idempotent call is made by an activity instead of locally %s', async (_, node) => {
    const id = await start(aGraphOf(node));
    await until(id, 'completed');
    expect((await recordedOf(id)).get(MARKER)).toBeUndefined();
    expect((await calledOf(id)).map((event) => at(event, '/local'))).toEqual([undefined]);
  });

  test('slow local calls are continued by an activity', async () => {
    const id = await start(aGraphOf(slow(2_500)));
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: { ms: 2_500 } } });
    expect(await calledOf(id)).toMatchObject([{ attempts: 1 }]);
    expect((await calledOf(id)).map((event) => at(event, '/local'))).toEqual([undefined]);
    await expectReplay(id);
  });
});

describe('a local call that fails', () => {
  const unlucky = (failures: number) => aGraphOf(looks({ failures }, { tool: 'lookUnluckily' }));

  test('a failed local call is retried as a local call', async () => {
    const id = await start(unlucky(2));
    await until(id, 'completed');
    expect(await calledOf(id)).toMatchObject([{ attempts: 3, local: true, result: { attempts: 3 } }]);
  });

  test('a local call that fails repeatedly is continued by an activity, which continues to count the attempts', async () => {
    const id = await start(unlucky(4));
    await until(id, 'completed');
    expect(await calledOf(id)).toMatchObject([{ attempts: 5, result: { attempts: 5 } }]);
    await expectReplay(id);
  });

  test('a local call that fails permanently fails its node', async () => {
    const id = await start(aGraphOf(looks({}, { tool: 'lookInVain' })));
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TOOL_FAILED', node: 'only', attempts: 1 } });
    expect(await calledOf(id)).toMatchObject([{ local: true, error: { code: 'TOOL_FAILED' } }]);
    await expectReplay(id);
  });
});

describe('a local call ends', () => {
  /** The maximum number of calls of 100 ms in one workflow task, during which the run receives no signals. */
  const BURST = 12;

  test('a local call ends when its run is canceled, also between two consecutive calls', async () => {
    const id = await start(aLoop(1_000, slow(100)));
    await expect.poll(async () => (await calledOf(id)).length).toBeGreaterThan(0);
    await control(id, 'cancel');
    await until(id, 'canceled');
    const recorded = await typesOf(id);
    expect(callsByTask(recorded).filter((calls) => calls > BURST)).toEqual([]);
    const afterSignal = recorded.slice(recorded.indexOf(SIGNALED));
    expect(afterSignal[0]).toBe(SIGNALED);
    expect(afterSignal.filter((type) => type === MARKER).length).toBeLessThanOrEqual(BURST);
    await expectReplay(id);
  });

  test('a local call ends at the deadline of its node', async () => {
    const id = await start(aGraphOf(slow(9_000, { deadline: '300ms', retry: { maxAttempts: 1 } })));
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TIMEOUT', node: 'only' } });
  });

  test('a local call ends at the deadline of the subgraph around it, also when an activity has continued it', async () => {
    const child = aDefinition({ name: 'child', nodes: { look: slow(9_000) } });
    const id = await start(aDefinition({ nodes: { sub: { type: 'subgraph', graph: child, deadline: '3s' } } }));
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TIMEOUT' } });
  });
});

test('activity calls and local calls of one superstep do not delay each other', async () => {
  const graph = aDefinition({
    nodes: { local: slow(100), other: looks({}, { tool: 'ask' }), end: looks() },
    edges: [
      { from: '__start__', to: ['local', 'other'] },
      { from: ['local', 'other'], to: 'end' },
    ],
  });
  const id = await start(graph);
  await until(id, 'completed');
  expect((await calledOf(id)).filter((event) => at(event, '/local') === true)).toHaveLength(2);
  await expectReplay(id);
});

test('large activity calls and large local calls share the size limit of a request', async () => {
  const items = numbers(45);
  const graph = aDefinition({
    channels: { items: {}, given: {}, done: { reducer: 'append' } },
    nodes: {
      local: { ...looks({ bytes: 60_000 }, { tool: 'lookAtMuch' }), write: { done: '{{ item }}' } },
      other: { ...looks({ given: '{{ state.given }}' }, { tool: 'ask' }), write: { done: '{{ item }}' } },
    },
    edges: ['local', 'other'].map((to) => ({ from: '__start__', forEach: 'state.items', to })),
    output: ['done'],
  });
  const id = await start(graph, { ...items, given: 'y'.repeat(60_000) });
  expect(listAt(await until(id, 'completed'), '/output/done')).toHaveLength(90);
  await expectReplay(id);
});

test('calls that end in another order than they began, one by an activity, are replayed by another worker', async () => {
  const ids = ['unlucky', 'soon'];
  const graph = aDefinition({
    nodes: { unlucky: looks({ failures: 4 }, { tool: 'lookUnluckily' }), soon: looks(), end: looks() },
    edges: [
      { from: '__start__', to: ids },
      { from: ids, to: 'end' },
    ],
  });
  const id = await start(graph);
  await until(id, 'completed');
  const { workflow } = new Client({ connection, namespace: stack.namespace });
  const workflowBundle = { codePath: process.env['HOLDFAST_WORKFLOW_BUNDLE'] ?? '' };
  const dataConverter = createDataConverter(blobsOf({ blobs: {} }));
  for (const history of await executionsOf(workflow, id))
    await expect(Worker.runReplayHistory({ workflowBundle, dataConverter }, history)).resolves.toBeUndefined();
});

test('many slow local calls of one tenant do not delay those of another tenant', async () => {
  const many = Array.from({ length: 6 }, async () => await start(aFan(slow(1_900)), numbers(400)));
  const ids = await Promise.all(many);
  const [first = ''] = ids;
  await expect.poll(async () => (await calledOf(first)).length).toBeGreaterThan(0);
  const other = stack.as('otherTenantUser');
  const { body } = await other.post('/api/runs', { graph: aGraphOf(looks()), input: {} });
  const id = textAt(body, '/id');
  await expect.poll(async () => at((await other.get(`/api/runs/${id}`)).body, '/status')).toBe('completed');
  expect(await eventsOf(other, id, 'tool.called')).toMatchObject([{ local: true }]);
  const statuses = await Promise.all(ids.map(async (one) => textAt(await runOf(one), '/status')));
  expect(statuses).not.toContain('completed');
  for (const one of ids) await user().post(`/api/runs/${one}/cancel`, {});
});
