import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { eventsOf, hasStatus, postRun } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { answer, json, startLoopbackServer } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { createRunControls } from '../support/readers/run-controls.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let server: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  server = await startLoopbackServer();
  stack = await startTestStack({ tools: [aToolOf(server)], http: { allow: [server.address] } });
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

const works: NodeDefinition = { type: 'tool', tool: 'work', args: {}, write: { log: '{{ result.n }}' } };
const adds = (log: string): NodeDefinition => ({ type: 'set', write: { log } });
const approver = (): ReturnType<TestStack['as']> => stack.as('approver');

async function start(graph: GraphDefinition, over: object = {}): Promise<string> {
  const { body } = await postRun(stack.as('user'), { graph, ...over });
  return textAt(body, '/id');
}

async function control(id: string, name: string, body: object = {}): Promise<void> {
  const { status, body: answered } = await stack.as('user').post(`/api/runs/${id}/${name}`, body);
  if (status !== 202) throw new Error(JSON.stringify(answered));
}

const { until } = createRunControls(() => stack.as('user'));

async function replay(id: string, body: object = {}): Promise<Json> {
  const { status, body: run } = await stack.as('user').post(`/api/runs/${id}/replay`, body);
  if (status !== 201) throw new Error(JSON.stringify(run));
  return run;
}

/** The history of a run with another run id. */
async function historyAs(id: string, other: string): Promise<unknown> {
  return JSON.parse(JSON.stringify(await eventsOf(stack.as('user'), id)).replaceAll(id, other));
}

/** The actions of people and clocks until a run has ended. */
type Course = readonly [string, GraphDefinition, (id: string) => Promise<void>];

const COURSES: readonly Course[] = [
  [
    'calls, of which one fails and is retried later',
    aDefinition({ nodes: { a: works, b: works, c: adds('c') } }),
    async (id) => {
      await until(id, 'failed');
      server.answers(json({ n: 2 }));
      await control(id, 'retry');
      await until(id, 'completed');
    },
  ],
  [
    'a decision',
    aDefinition({
      nodes: { ask: { type: 'approval', title: 'May I?', policy: { roles: ['approver'] } }, c: adds('c') },
    }),
    async (id) => {
      await approver().post(`/api/runs/${id}/approve`, { reason: 'ok' });
      await until(id, 'completed');
    },
  ],
  [
    'an event, a pause, an edit and a timer',
    aDefinition({
      nodes: { wait: { type: 'wait', event: 'go' }, b: adds('b'), nap: { type: 'wait', for: '50ms' }, c: adds('c') },
      interruptBefore: ['b'],
    }),
    async (id) => {
      await control(id, 'signal', { event: 'other' });
      await control(id, 'pause');
      await control(id, 'signal', { event: 'go', payload: 1 });
      await until(id, 'paused');
      await control(id, 'resume', { values: { log: 'by hand' } });
      await until(id, 'paused');
      await control(id, 'resume');
      await until(id, 'completed');
    },
  ],
  [
    'a cancellation',
    aDefinition({ nodes: { wait: { type: 'wait', event: 'go' } } }),
    async (id) => {
      await control(id, 'cancel', { reason: 'enough' });
      await until(id, 'canceled');
    },
  ],
  [
    'an expiry',
    aDefinition({ nodes: { ask: { type: 'approval', title: 'May I?', timeout: '50ms' }, c: adds('c') } }),
    async (id) => void (await until(id, 'completed')),
  ],
];

describe('a replay', () => {
  test.each(COURSES)('a replay of %s emits the events of its run and calls nothing', async (_what, graph, course) => {
    server.answers(json({ n: 1 }), answer(404));
    const id = await start(graph);
    await course(id);
    const heard = server.requests.length;
    const again = await replay(id);
    const ended = await until(id, 'completed', 'failed', 'canceled');
    expect(again).toMatchObject({ divergence: null, replayOf: id, status: at(ended, '/status') });
    const replayId = textAt(again, '/id');
    expect(await historyAs(id, replayId)).toEqual(await eventsOf(stack.as('user'), replayId));
    expect(server.requests).toHaveLength(heard);
  });

  test('a replay on another input reports the first different event, and continues with the same answers', async () => {
    server.answers(json({ n: 1 }));
    const id = await start(aDefinition({ nodes: { a: adds('a'), b: works } }), { input: { log: 'x' } });
    const again = await replay(id, { input: { log: 'y' } });
    expect(again).toMatchObject({ status: 'completed', output: { log: ['y', 'a', 1] }, input: { log: 'y' } });
    expect(again).toMatchObject({ divergence: { expected: { type: 'run.completed' } } });
  });

  test('a replay on another graph that makes an unrecorded call fails, and reports where it left the recording', async () => {
    const id = await start(aDefinition({ nodes: { a: adds('a') } }));
    const again = await replay(id, { graph: aDefinition({ nodes: { a: adds('a'), b: works } }) });
    expect(again).toMatchObject({ status: 'failed', error: { code: 'REPLAY_DIVERGED' }, divergence: { seq: 1 } });
    expect(server.requests).toEqual([]);
  });

  test('a replay can be replayed itself', async () => {
    const id = textAt(await replay(await start(aDefinition({ nodes: { a: adds('a') } }))), '/id');
    expect(await replay(id)).toMatchObject({ divergence: null, replayOf: id });
  });

  test('a replay on an invalid input is refused, and so is any input for a fork', async () => {
    const id = await start(aDefinition({ nodes: { a: adds('a') } }));
    const replayed = async (of: string, input: object) =>
      await stack.as('user').post(`/api/runs/${of}/replay`, { input });
    const refused = await replayed(id, { lgo: 'x' });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_INPUT'));
    expect(issuePathsOf(refused)).toEqual(['/input/lgo']);
    const { body } = await stack.as('user').get(`/api/runs/${id}/state`);
    const fork = await stack.as('user').post(`/api/runs/${id}/fork`, { checkpoint: textAt(body, '/checkpoint') });
    const forkId = textAt(await stack.as('user').untilRun(textAt(fork.body, '/id'), hasStatus('completed')), '/id');
    expect(issuePathsOf(await replayed(forkId, { log: 'x' }))).toEqual(['/input']);
  });

  test('a replay of a running run is refused', async () => {
    const id = await start(aDefinition({ nodes: { wait: { type: 'wait', event: 'go' } } }));
    const refused = await stack.as('user').post(`/api/runs/${id}/replay`, {});
    expect(refused).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });
});
