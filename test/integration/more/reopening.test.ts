import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { anAskingGraph, eventsOf, postRun, startRun } from '../../support/readers/api-runs.ts';
import { aJob, patchState } from '../../support/readers/api-states.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { openTemporalCli } from '../../support/servers/temporal-cli.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

const { stack, service, user, runOf, control, until } = useWorkingStack(startTestStack);

const ofType = async (id: string, type: string): Promise<Json[]> => await eventsOf(user(), id, type);
const callsOf = (job: string): number => service().calls.filter((call) => call.job === job).length;

const three = aDefinition({ nodes: { a: aJob('a'), b: aJob('b'), c: aJob('c') } });

/** Two parallel jobs, and one after both. */
const pair = aDefinition({
  nodes: { a: aJob('a'), b: aJob('b'), c: aJob('c') },
  edges: [
    { from: '__start__', to: ['a', 'b'] },
    { from: ['a', 'b'], to: 'c' },
  ],
});

/** Starts a run and refuses some of its jobs. @returns its id, once it has failed */
async function startFailing(graph: GraphDefinition, ...refused: string[]): Promise<string> {
  for (const job of refused) service().refuse(job);
  const run = await startRun(user(), graph);
  expect(run).toMatchObject({ status: 'failed' });
  return textAt(run, '/id');
}

/** One job for each element of a list. */
function aFan(maxConcurrency: number): GraphDefinition {
  return aDefinition({
    channels: { log: { reducer: 'append' }, list: { default: ['1', '2', '3'] } },
    output: ['log'],
    nodes: { plan: { type: 'set', write: {} }, each: aJob('{{ item }}'), last: aJob('last') },
    edges: [
      { from: '__start__', to: 'plan' },
      { from: 'plan', forEach: 'state.list', to: 'each', maxConcurrency },
      { from: 'each', to: 'last' },
    ],
  });
}

function around(inner: GraphDefinition): GraphDefinition {
  const inside = { type: 'subgraph', graph: inner, write: { log: '{{ result.log }}' } } as const;
  return aDefinition({ nodes: { before: aJob('before'), inside, after: aJob('after') } });
}

const joined = aDefinition({
  nodes: { a: aJob('a'), a2: aJob('a2'), b: aJob('b'), j: aJob('j') },
  edges: [
    { from: '__start__', to: ['a', 'b'] },
    { from: 'a', to: 'a2' },
    { from: ['a2', 'b'], to: 'j' },
  ],
});

const looping = aDefinition({
  channels: { log: { reducer: 'append' }, n: { reducer: 'sum' } },
  output: ['log'],
  nodes: { turn: aJob('turn {{ state.n }}', { write: { log: '{{ result.job }}', n: 1 } }) },
  edges: [
    { from: '__start__', to: 'turn' },
    { from: 'turn', branches: [{ when: 'state.n < 3', to: 'turn' }, { to: '__end__' }] },
  ],
});

describe('retrying a failed run', () => {
  interface Shape {
    readonly shape: string;
    readonly graph: GraphDefinition;
    readonly refused: string;
    readonly log: readonly string[];
  }
  const abc = ['a', 'b', 'c'];
  const deep = 'before before 1 2 3 last after after'.split(' ');
  const shapes: readonly Shape[] = [
    { shape: 'a chain of nodes', graph: three, refused: 'b', log: abc },
    { shape: 'a superstep of two nodes', graph: pair, refused: 'b', log: abc },
    { shape: 'a forEach', graph: aFan(3), refused: '2', log: ['1', '2', '3', 'last'] },
    { shape: 'a sequential forEach', graph: aFan(1), refused: '2', log: ['1', '2', '3', 'last'] },
    { shape: 'a subgraph', graph: around(three), refused: 'b', log: ['before', ...abc, 'after'] },
    { shape: 'a subgraph of a subgraph', graph: around(around(aFan(2))), refused: '3', log: deep },
    { shape: 'a join', graph: joined, refused: 'b', log: ['a', 'b', 'a2', 'j'] },
    { shape: 'a loop', graph: looping, refused: 'turn 1', log: ['turn 0', 'turn 1', 'turn 2'] },
  ];
  describe.each(shapes)('retrying a run that failed in $shape', ({ graph, refused, log }) => {
    test.each([1, 2])('retrying a failed run repeats only the failed call, after %i failures', async (failures) => {
      service().refuse(refused, failures);
      const id = textAt(await startRun(user(), graph), '/id');
      for (let times = 1; times <= failures; times++) {
        await until(id, 'failed');
        expect(await control(id, 'retry')).toMatchObject({ status: 202, body: { id } });
        await expect.poll(() => callsOf(refused)).toBe(times + 1);
      }
      expect(await until(id, 'completed')).toMatchObject({ error: null, output: { log } });
      expect(service().done.toSorted()).toEqual(log.toSorted());
      expect(service().calls).toHaveLength(log.length + failures);
      expect(callsOf(refused)).toBe(failures + 1);
    });
  });

  test('retrying a failed run can name one of two failed nodes, and the other stays failed', async () => {
    const id = await startFailing(pair, 'a', 'b');
    await control(id, 'retry', { node: 'a' });
    await expect.poll(() => service().done).toEqual(['a']);
    expect(await until(id, 'failed')).toMatchObject({ error: { node: 'b' } });
    await control(id, 'retry', { node: 'b' });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
    expect(service().done).toEqual(['a', 'b', 'c']);
  });

  test('retrying a failed run without naming a node retries both failed nodes', async () => {
    const id = await startFailing(pair, 'a', 'b');
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
    expect((await ofType(id, 'run.retried')).map((event) => at(event, '/node'))).toEqual(['a', 'b']);
  });

  test('retrying a failed run works although its workflow was closed long ago', async () => {
    const id = await startFailing(three, 'b');
    const temporal = await openTemporalCli(stack());
    const statusOf = async () => at(await temporal.tell('describe', `run:demo:${id}`), '/workflowExecutionInfo/status');
    await expect.poll(statusOf).toBe('WORKFLOW_EXECUTION_STATUS_FAILED');
    await control(id, 'retry');
    await until(id, 'completed');
    await expect.poll(statusOf).toBe('WORKFLOW_EXECUTION_STATUS_COMPLETED');
  });

  test('retrying a failed run under one Idempotency-Key counts once', async () => {
    const id = await startFailing(three, 'b');
    const once = async () => await user().post(`/api/runs/${id}/retry`, {}, { 'idempotency-key': `retry ${id}` });
    const [first, second] = [await once(), await once()];
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    await until(id, 'completed');
    expect(await ofType(id, 'run.retried')).toHaveLength(1);
    expect(service().calls).toHaveLength(4);
  });

  test('retrying a failed run by many requests at once is accepted once', async () => {
    const id = await startFailing(three, 'b');
    const answers = await Promise.all(Array.from({ length: 5 }, () => control(id, 'retry')));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    await until(id, 'completed');
    expect(await ofType(id, 'run.retried')).toHaveLength(1);
    expect(service().calls).toHaveLength(4);
  });

  test('retrying a failed run reports the run as running at once, and never again as failed', async () => {
    const id = await startFailing(three, 'b');
    const held = service().hold('b');
    await control(id, 'retry');
    expect(await runOf(id)).toMatchObject({ status: 'running', endedAt: null, error: null, output: null });
    const release = await held;
    expect(await runOf(id)).toMatchObject({ status: 'running', endedAt: null, error: null, next: ['b'] });
    release();
    await until(id, 'completed');
  });

  test('retrying a failed run continues the history without gap or repeat in its numbers', async () => {
    service().refuse('b', 2);
    const id = textAt(await startRun(user(), three), '/id');
    await control(id, 'retry');
    await expect.poll(async () => await ofType(id, 'run.failed')).toHaveLength(2);
    await control(id, 'retry');
    await until(id, 'completed');
    const events = await eventsOf(user(), id);
    expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, index) => index + 1));
    const types = events.map((event) => textAt(event, '/type')).filter((type) => type.startsWith('run.'));
    expect(types).toEqual('started failed retried failed retried completed'.split(' ').map((word) => `run.${word}`));
    expect(await ofType(id, 'run.retried')).toMatchObject([{ by: 'uma' }, { by: 'uma' }]);
  });

  test('retrying a failed run uses the state that was edited meanwhile', async () => {
    const graph = aDefinition({
      channels: { log: { reducer: 'append' }, order: { default: 'wrong' } },
      output: ['log'],
      nodes: { a: aJob('a'), b: aJob('{{ state.order }}') },
    });
    const id = await startFailing(graph, 'wrong');
    const patched = await patchState(user(), id, { values: { order: 'right' } });
    expect(patched).toMatchObject({ status: 200, body: { values: { order: 'right' }, next: ['b'] } });
    expect(await runOf(id)).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED' } });
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'right'] } });
  });

  test('retrying a run that failed at an edge continues there once the state was edited', async () => {
    const graph = aDefinition({
      channels: { log: { reducer: 'append' }, n: {} },
      output: ['log'],
      nodes: { a: aJob('a'), b: aJob('b') },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', branches: [{ when: 'state.n > 1', to: 'b' }] },
      ],
    });
    const id = await startFailing(graph);
    expect(await runOf(id)).toMatchObject({ error: { code: 'EXPRESSION_FAILED' } });
    await patchState(user(), id, { values: { n: 2 } });
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'b'] } });
    expect(service().calls).toHaveLength(2);
  });

  test('retrying a node that has not failed is refused, and the run stays failed', async () => {
    const id = await startFailing(three, 'b');
    expect(await control(id, 'retry', { node: 'a' })).toMatchObject(aProblem(422, 'UNKNOWN_INTERVENTION'));
    expect(await runOf(id)).toMatchObject({ status: 'failed', error: { node: 'b' } });
  });
});

describe('retrying with other limits', () => {
  const limited = aDefinition({ ...three, limits: { maxSteps: 3, deadline: '1m' } });
  async function startLimited(limits: object): Promise<string> {
    const { body } = await postRun(user(), { graph: limited, limits });
    expect(body).toMatchObject({ status: 'failed', error: { code: 'GRAPH_RECURSION_LIMIT' } });
    return textAt(body, '/id');
  }

  test('a retry with other limits keeps the usage counted so far', async () => {
    const id = await startLimited({ maxSteps: 1 });
    await control(id, 'retry', { limits: { maxSteps: 2 } });
    await expect.poll(() => service().done).toEqual(['a', 'b']);
    expect(await until(id, 'failed')).toMatchObject({ limits: { maxSteps: 2 }, error: { step: 2 } });
    await control(id, 'retry', { limits: { maxSteps: 3 } });
    expect(await until(id, 'completed')).toMatchObject({ limits: { maxSteps: 3 } });
    expect(service().done).toEqual(['a', 'b', 'c']);
  });

  test.each([
    [{ maxSteps: 4 }, ['/limits/maxSteps']],
    [{ maxSteps: 3, deadline: '2m' }, ['/limits/deadline']],
  ])('a retry with %j above the limits of the graph is refused', async (limits, paths) => {
    const id = await startLimited({ maxSteps: 1 });
    const refused = await control(id, 'retry', { limits });
    expect(refused).toMatchObject(aProblem(422, 'LIMIT_TOO_LOOSE'));
    expect(issuePathsOf(refused)).toEqual(paths);
    expect(await runOf(id)).toMatchObject({ status: 'failed', limits: { maxSteps: 1 } });
  });

  test.each([
    ['retry', { node: 'a' }],
    ['retry', { id: 'a:1' }],
    ['skip', { output: 1 }],
    ['skip', { node: 'a', output: 1 }],
  ])(
    'a run that failed at its limits continues only by a retry with other limits, not by %s %j',
    async (name, body) => {
      const id = await startLimited({ maxSteps: 1 });
      expect(await control(id, name, body)).toMatchObject(aProblem(422, 'UNKNOWN_INTERVENTION'));
      expect(await control(id, 'fail', {})).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
      expect(await runOf(id)).toMatchObject({ status: 'failed' });
    },
  );

  test('a retry with another deadline restarts the deadline', async () => {
    const graph = aDefinition({ nodes: { wait: { type: 'wait', for: '300ms' }, a: aJob('a') } });
    const { body } = await user().post('/api/runs', { graph, limits: { deadline: '50ms' } });
    expect(await until(textAt(body, '/id'), 'failed')).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    await control(textAt(body, '/id'), 'retry', { limits: { deadline: '30s' } });
    expect(await until(textAt(body, '/id'), 'completed')).toMatchObject({ limits: { deadline: '30s' } });
    expect(service().done).toEqual(['a']);
  });
});

describe('skipping in a failed run', () => {
  test('skipping a failed node continues the run with the given output', async () => {
    const id = await startFailing(three, 'b');
    expect(await control(id, 'skip', { output: { job: 'by hand' } })).toMatchObject({ status: 202 });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'by hand', 'c'] } });
    expect(await ofType(id, 'node.skipped')).toMatchObject([{ node: 'b', by: 'uma' }]);
    expect(service().done).toEqual(['a', 'c']);
  });

  test('skipping a failed node leaves the run failed while another node has failed too', async () => {
    const id = await startFailing(pair, 'a', 'b');
    expect(await control(id, 'skip', { output: {} })).toMatchObject(aProblem(422, 'INTERVENTION_ID_REQUIRED'));
    await control(id, 'skip', { node: 'a', output: { job: 'by hand' } });
    expect(await until(id, 'failed')).toMatchObject({ error: { node: 'b' } });
    await control(id, 'skip', { node: 'b', output: { job: 'this too' } });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['by hand', 'this too', 'c'] } });
  });

  test('skipping a failed node with an invalid output changes nothing', async () => {
    const id = await startFailing(three, 'b');
    const refused = await control(id, 'skip', { output: {} });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(refused)).toEqual(['/output']);
    expect(await runOf(id)).toMatchObject({ status: 'failed' });
  });
});

describe('replanning a failed run', () => {
  test('replanning a failed run continues only at the named node, with the given values', async () => {
    const id = await startFailing(three, 'b');
    expect(await control(id, 'replan', { node: 'c', values: { log: 'instead of b' } })).toMatchObject({ status: 202 });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'instead of b', 'c'] } });
    expect(service().done).toEqual(['a', 'c']);
  });

  test.each([
    [{ node: 'x' }, '/node'],
    [{ node: 'c', values: { lgo: 1 } }, '/values/lgo'],
  ])('replanning a failed run with the invalid body %j changes nothing', async (body, path) => {
    const id = await startFailing(three, 'b');
    const refused = await control(id, 'replan', body);
    expect({ status: refused.status, paths: issuePathsOf(refused) }).toEqual({ status: 422, paths: [path] });
    expect(await runOf(id)).toMatchObject({ status: 'failed' });
  });
});

describe('a run without a failed node', () => {
  const controls = [
    ['retry', {}],
    ['retry', { node: 'a' }],
    ['skip', { output: { job: 'x' } }],
    ['fail', {}],
    ['replan', { node: 'a' }],
    ['pause', {}],
    ['resume', {}],
    ['cancel', {}],
    ['signal', { event: 'any' }],
  ] as const;

  test.each(controls)('a completed run refuses the control %s %j', async (name, body) => {
    const run = await startRun(user(), three);
    expect(await control(textAt(run, '/id'), name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    expect(await runOf(textAt(run, '/id'))).toEqual(run);
  });

  test.each(controls)('a canceled run refuses the control %s %j', async (name, body) => {
    const id = textAt(await startRun(user(), anAskingGraph()), '/id');
    await control(id, 'cancel');
    const canceled = await until(id, 'canceled');
    expect(await control(id, name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    expect(await runOf(id)).toEqual(canceled);
  });

  test.each([
    ['retry', {}],
    ['skip', { output: { job: 'x' } }],
  ])('a run that was canceled during an intervention refuses the control %s %j', async (name, body) => {
    service().refuse('a');
    const graph = aDefinition({ nodes: { a: aJob('a', { onError: 'intervene' }), b: aJob('b') } });
    const id = textAt(await startRun(user(), graph), '/id');
    await control(id, 'cancel');
    const canceled = await until(id, 'canceled');
    expect(await control(id, name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    expect(await runOf(id)).toEqual(canceled);
  });
});
