import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeOfType } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aGraphOf, anAskingGraph, eventsOf, startRun } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { answer, breakOff, hangUp, json, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { Answer, LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { holdfast } from '../../support/servers/command-line.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let server: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  server = await startLoopbackServer();
  const retry = { maxAttempts: 3, initialInterval: '1ms' };
  stack = await startTestStack({
    tools: [aToolOf(server), aToolOf(server, { name: 'risky', effect: 'unsafe', retry })],
    http: { allow: [server.address] },
  });
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

/** A call that waits for an intervention when it fails, and whose result must be a number. */
function aWatchedGraph(over: Partial<Extract<NodeOfType<'tool'>, { tool: string }>> = {}): GraphDefinition {
  const channels = { answer: { schema: { type: ['number', 'null'] } } };
  return aGraphOf(
    { type: 'tool', tool: 'work', onError: 'intervene', write: { answer: '{{ result.n }}' }, ...over },
    { channels },
  );
}

/** Starts a run whose call fails. @returns its id, once it waits for an intervention */
async function startFailing(failure: Answer, graph = aWatchedGraph()): Promise<string> {
  server.answers(failure);
  return textAt(await startRun(stack.as('user'), graph), '/id');
}

const { runOf, control, until } = createRunControls(() => stack.as('user'));
const failuresOf = async (id: string): Promise<Json[]> => await eventsOf(stack.as('user'), id, 'node.failed');
const keys = (): (string | string[] | undefined)[] => server.requests.map(({ headers }) => headers['idempotency-key']);

describe('a failed node with onError: intervene', () => {
  test('a failed node with onError: intervene waits for a person', async () => {
    const run = await runOf(await startFailing(answer(404)));
    const waitingFor = [
      { kind: 'intervention', node: 'only', id: expect.stringMatching(/./), since: expect.stringMatching(/Z$/) },
    ];
    expect(run).toMatchObject({ status: 'waiting', error: null, waitingFor });
  });

  test('a failed node that waits for an intervention is called again by retry, under a new key', async () => {
    const id = await startFailing(answer(404));
    server.answers(json({ n: 2 }));
    expect(await control(id, 'retry')).toMatchObject({ status: 202, body: { id } });
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: 2 } });
    expect(new Set(keys()).size).toBe(2);
    expect(await eventsOf(stack.as('user'), id, 'run.retried')).toMatchObject([{ node: 'only', by: 'uma' }]);
  });

  test('a failed node waits for an intervention again when its retry fails', async () => {
    const id = await startFailing(answer(404));
    server.answers(answer(410), json({ n: 3 }));
    await control(id, 'retry');
    await expect.poll(async () => await failuresOf(id)).toHaveLength(2);
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: 3 } });
  });

  test('a run with a failed node continues after skip, with the given output', async () => {
    const id = await startFailing(answer(404));
    expect(await control(id, 'skip', { node: 'only', output: { n: 7 } })).toMatchObject({ status: 202 });
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: 7 } });
    expect(await eventsOf(stack.as('user'), id, 'node.skipped')).toMatchObject([
      { node: 'only', by: 'uma', update: { answer: 7 } },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['breaks the schema of its channel', { n: 'seven' }],
    ['lacks what the node writes', {}],
    ['is null', null],
  ])('a failed node still waits for an intervention after a skip whose output %s', async (_what, output) => {
    const id = await startFailing(answer(404));
    const refused = await control(id, 'skip', { node: 'only', output });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(refused)).toEqual(['/output']);
    expect(await control(id, 'skip', { node: 'only', output: { n: 1 } })).toMatchObject({ status: 202 });
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: 1 } });
  });

  test('a failed node can not be skipped without an output', async () => {
    const refused = await control(await startFailing(answer(404)), 'skip', { node: 'only' });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(refused)).toEqual(['/output']);
  });

  test('the control "fail" ends a run whose failed node waits for an intervention, with the given reason', async () => {
    const id = await startFailing(answer(404, {}, 'no such thing'));
    expect(await control(id, 'fail', { node: 'only', reason: 'hopeless' })).toMatchObject({ status: 202 });
    const error = at(await until(id, 'failed'), '/error') ?? null;
    expect(error).toMatchObject({ code: 'TOOL_FAILED', node: 'only' });
    expect(textAt(error, '/message')).toMatch(/no such thing.*uma.*hopeless/);
  });

  test('a control without a node is accepted while a single node waits for an intervention', async () => {
    const id = await startFailing(answer(404));
    expect(await control(id, 'fail')).toMatchObject({ status: 202 });
    await until(id, 'failed');
  });
});

describe('an unsafe call of unknown outcome', () => {
  const unsafe = aWatchedGraph({ tool: 'risky' });

  const ways: readonly [string, Answer][] = [
    ['the connection breaks', hangUp],
    ['the response breaks off', breakOff],
    ['the server answers with status 500', answer(500)],
  ];
  test.each(ways)(
    'an unsafe call waits for a person when %s, and is never repeated by itself',
    async (_what, failure) => {
      const id = await startFailing(failure, unsafe);
      expect(await runOf(id)).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'intervention' }] });
      expect(await control(id, 'skip', { output: { n: 1 } })).toMatchObject({ status: 202 });
      await until(id, 'completed');
      expect(server.requests).toHaveLength(1);
    },
  );

  test('an unsafe call of unknown outcome waits for a person regardless of onError', async () => {
    const onError = { to: '__end__' };
    const id = await startFailing(hangUp, aWatchedGraph({ tool: 'risky', onError }));
    const failed = { error: { code: 'UNKNOWN_OUTCOME', cause: { code: 'TOOL_FAILED' } } };
    expect(await runOf(id)).toMatchObject({ status: 'waiting' });
    expect(await failuresOf(id)).toMatchObject([failed]);
  });

  test('an unsafe call of unknown outcome is listed in its run when the run is canceled', async () => {
    const id = await startFailing(hangUp, unsafe);
    expect(await control(id, 'cancel')).toMatchObject({ status: 202 });
    const cause = { code: 'UNKNOWN_OUTCOME', message: 'Not compensated: only: the outcome of the call is unknown' };
    expect(await until(id, 'canceled')).toMatchObject({
      error: { code: 'CANCELED', message: 'Canceled by uma', cause },
    });
  });

  test('an unsafe call of unknown outcome is made a second time by retry, under the same key', async () => {
    const id = await startFailing(hangUp, unsafe);
    server.answers(json({ n: 5 }));
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { answer: 5 } });
    expect(keys()).toEqual([expect.stringMatching(/./), keys()[0]]);
  });

  test('an unsafe call is repeated automatically when its request can not have been sent', async () => {
    server.answers(answer(429, { 'retry-after': '0' }), json({ n: 6 }));
    expect(await startRun(stack.as('user'), unsafe)).toMatchObject({ status: 'completed', output: { answer: 6 } });
    expect(server.requests).toHaveLength(2);
  });
});

describe('an unsafe compensation of unknown outcome', () => {
  /** A graph that makes a compensable payment and then fails permanently. */
  const paying = aDefinition({
    nodes: {
      pay: { type: 'tool', tool: 'work', compensate: { tool: 'risky' } },
      fails: { type: 'tool', tool: 'work' },
    },
  });

  async function startWithUnknownOutcome(): Promise<string> {
    server.answers(json({ n: 1 }), answer(404), hangUp);
    const id = textAt(await startRun(stack.as('user'), paying), '/id');
    const waitingFor = [{ kind: 'intervention', node: 'pay', id: 'pay:1:undo' }];
    expect(await until(id, 'waiting')).toMatchObject({ error: null, waitingFor });
    return id;
  }

  /**
   * The number of calls, including those of other tests, for which `holdfast doctor` reports that a person is needed.
   */
  async function countUnknown(): Promise<number> {
    const { stdout } = await holdfast(['doctor'], { DATABASE_URL: stack.databaseUrl ?? '' });
    if (stdout.includes('ok    unknown outcomes: none\n')) return 0;
    const said = /FAIL {2}unknown outcomes: Nobody knows if calls were made: (\d+)\n {6}holdfast interventions/.exec(
      stdout,
    );
    return Number(said?.[1]);
  }

  test('an unsafe compensation of unknown outcome waits for a person, and is made again by retry under its key', async () => {
    const id = await startWithUnknownOutcome();
    server.answers(json({ n: 2 }));
    expect(await control(id, 'retry')).toMatchObject({ status: 202 });
    expect(await until(id, 'failed')).toMatchObject({ error: { node: 'fails' }, waitingFor: [] });
    expect([keys().length, keys()[3]]).toEqual([4, keys()[2]]);
    expect(await eventsOf(stack.as('user'), id, 'node.compensated')).toMatchObject([{ node: 'pay' }]);
  });

  test.each([
    ['skip', { id: 'pay:1:undo', output: { seen: true } }, { type: 'node.compensated', result: { seen: true } }],
    ['fail', { reason: 'too late' }, { type: 'compensation.failed', error: { code: 'UNKNOWN_OUTCOME' } }],
  ])(
    'an unsafe compensation of unknown outcome is resolved by the control %s, and the history names the person',
    async (name, body, told) => {
      const others = await countUnknown();
      const id = await startWithUnknownOutcome();
      expect(await countUnknown()).toBe(others + 1);
      expect(await control(id, 'pause')).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
      expect(await control(id, name, { ...body, id: 'other' })).toMatchObject(aProblem(422, 'UNKNOWN_INTERVENTION'));
      expect(await control(id, name, body)).toMatchObject({ status: 202 });
      await until(id, 'failed');
      expect((await eventsOf(stack.as('user'), id, told.type)).at(-1)).toMatchObject({
        node: 'pay',
        by: 'uma',
        ...told,
      });
      expect(server.requests).toHaveLength(3);
      expect(await countUnknown()).toBe(others);
    },
  );

  test.each([
    ['succeeds', json({ n: 2 })],
    ['fails', answer(404)],
  ])('a compensation that was retried by a person and %s is replayed identically', async (_what, second) => {
    const id = await startWithUnknownOutcome();
    server.answers(second);
    await control(id, 'retry');
    await until(id, 'failed');
    const { body } = await stack.as('user').post(`/api/runs/${id}/replay`, {});
    expect(body).toMatchObject({ status: 'failed', divergence: null });
  });
});

describe('several nodes that wait', () => {
  const call = { type: 'tool', tool: 'work', onError: 'intervene', write: { log: '{{ result.n }}' } } as const;
  const twoCalls = aDefinition({ nodes: { one: call, two: call }, edges: [{ from: '__start__', to: ['one', 'two'] }] });

  /** Starts a run with two failures. @returns the run's id, and the ids of its interventions by node */
  async function startTwoFailing(): Promise<{ id: string; ids: ReadonlyMap<string, string> }> {
    server.answers(answer(404));
    const id = await startFailing(answer(404), twoCalls);
    const waiting = listAt(await runOf(id), '/waitingFor');
    return { id, ids: new Map(waiting.map((one) => [textAt(one, '/node'), textAt(one, '/id')])) };
  }

  test.each([
    ['retry', {}],
    ['skip', { output: { n: 1 } }],
    ['fail', {}],
  ])(
    'a control %s needs to name one of several nodes that wait for an intervention, and the error lists their ids',
    async (name, body) => {
      const { id, ids } = await startTwoFailing();
      const refused = await control(id, name, body);
      expect(refused).toMatchObject(aProblem(422, 'INTERVENTION_ID_REQUIRED'));
      for (const named of ids.values()) expect(textAt(refused.body, '/detail')).toContain(named);
    },
  );

  test('nodes that wait for an intervention are selected by node and by id', async () => {
    const { id, ids } = await startTwoFailing();
    expect(await control(id, 'skip', { node: 'two', output: { n: 2 } })).toMatchObject({
      status: 202,
      body: { waitingFor: [{ node: 'one' }] },
    });
    expect(await control(id, 'skip', { id: ids.get('one'), output: { n: 1 } })).toMatchObject({ status: 202 });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: [1, 2] } });
  });

  test.each([{ node: 'three' }, { id: 'three:1' }, { node: 'one', id: 'two:1' }])(
    'several nodes that wait for an intervention refuse a control with %j, which names none of them',
    async (which) => {
      const { id, ids } = await startTwoFailing();
      const refused = await control(id, 'retry', which);
      expect(refused).toMatchObject(aProblem(422, 'UNKNOWN_INTERVENTION'));
      for (const named of ids.values()) expect(textAt(refused.body, '/detail')).toContain(named);
    },
  );

  test('several nodes that wait for an intervention are failed one by one, and the history names the person each time', async () => {
    const { id } = await startTwoFailing();
    await control(id, 'fail', { node: 'one' });
    await expect.poll(async () => at(await runOf(id), '/waitingFor')).toMatchObject([{ node: 'two' }]);
    expect((await failuresOf(id)).filter((event) => at(event, '/by') === 'uma')).toMatchObject([{ node: 'one' }]);
    await control(id, 'fail', { node: 'two' });
    expect(await until(id, 'failed')).toMatchObject({ error: { node: 'one' } });
  });

  test('several nodes that wait for an intervention continue together: the output of the first is kept while the second is retried', async () => {
    const { id } = await startTwoFailing();
    await control(id, 'skip', { node: 'one', output: { n: 1 } });
    server.answers(json({ n: 2 }));
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { log: [1, 2] } });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a control that does not fit', () => {
  const controls: readonly [string, object][] = [
    ['retry', {}],
    ['skip', { node: 'only', output: 1 }],
    ['fail', { node: 'only' }],
  ];

  test.each(controls)('the control %s is refused while no node waits for an intervention', async (name, body) => {
    const run = await startRun(stack.as('user'), anAskingGraph());
    expect(await control(textAt(run, '/id'), name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test.each(controls)('the control %s is refused for a completed run', async (name, body) => {
    const run = await startRun(stack.as('user'), aDefinition());
    expect(await control(textAt(run, '/id'), name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test.each(controls)('the control %s is refused with an unknown field', async (name, body) => {
    const refused = await control(await startFailing(answer(404)), name, { ...body, by: 'ada', signalId: 'x' });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(refused).toSorted()).toEqual(['/by', '/signalId']);
  });

  test('the control "approve" does not resolve an intervention', async () => {
    const id = await startFailing(answer(404));
    expect(await stack.as('approver').post(`/api/runs/${id}/approve`, {})).toMatchObject(
      aProblem(404, 'UNKNOWN_APPROVAL'),
    );
  });
});

test('a retry repeated under its Idempotency-Key counts once', async () => {
  const id = await startFailing(answer(404));
  server.answers(answer(404), json({ n: 9 }));
  const once = async () => await stack.as('user').post(`/api/runs/${id}/retry`, {}, { 'idempotency-key': 'again' });
  const [first, second] = [await once(), await once()];
  expect(second).toMatchObject({ status: first.status, body: first.body });
  await expect.poll(async () => await failuresOf(id)).toHaveLength(2);
  expect(server.requests).toHaveLength(2);
});
