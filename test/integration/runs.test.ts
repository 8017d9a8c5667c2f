import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import {
  aGraphOf,
  anAskingGraph,
  eventsOf,
  hasStatus,
  postRun,
  readAll,
  startAsking,
  startRun,
} from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { answer, json, silence, startLoopbackServer } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let server: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  server = await startLoopbackServer();
  stack = await startTestStack({
    tools: [aToolOf(server), aToolOf(server, { name: 'risky', effect: 'unsafe' })],
    http: { allow: [server.address] },
    defaults: { heartbeatTimeout: '10s' },
  });
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

const start = async (body: object, headers: Record<string, string> = {}) =>
  await stack.as('user').post('/api/runs', body, headers);
const publish = async (definition: GraphDefinition) => await stack.as('user').post('/api/graphs', definition);

/** A graph that outputs its own version. */
function aVersion(name: string, text: string): GraphDefinition {
  return aDefinition({ name, nodes: { a: { type: 'set', write: { log: text } } } });
}

const plain = aDefinition({ name: 'plain' });
const working = aGraphOf({ type: 'tool', tool: 'work' });

describe('starting a run', () => {
  beforeAll(async () => {
    await publish(aVersion('twice', 'one'));
    await publish(aVersion('twice', 'two'));
  });

  test.each([
    ['twice', 2, ['two']],
    ['twice@1', 1, ['one']],
    ['twice@2', 2, ['two']],
  ])('a run started by the reference "%s" uses version %i', async (graph, version, log) => {
    const run = await startRun(stack.as('user'), graph);
    expect(run).toMatchObject({ status: 'completed', graph: { name: 'twice', version }, output: { log } });
  });

  test('starting a run of an inline definition needs no publication', async () => {
    const run = await startRun(stack.as('user'), aVersion('inline', 'here'));
    expect(run).toMatchObject({ graph: { name: 'inline', version: null }, output: { log: ['here'] } });
    expect(await stack.as('user').get('/api/graphs/inline')).toMatchObject({ status: 404 });
  });

  test('the response to the start of a run contains the location of the run', async () => {
    const { status, headers, body } = await start({ graph: plain });
    expect({ status, location: headers.get('location') }).toEqual({
      status: 201,
      location: `/api/runs/${textAt(body, '/id')}`,
    });
    expect(await stack.as('user').get(`/api/runs/${textAt(body, '/id')}`)).toMatchObject({
      status: 200,
      body: { id: textAt(body, '/id') },
    });
  });

  test('the response to the start of a run contains the whole run', async () => {
    const { body } = await postRun(stack.as('user'), { graph: plain, metadata: { ticket: 7 } });
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      status: 'completed',
      graph: { name: 'plain', version: null, hash: expect.stringMatching(/./) },
      threadId: null,
      parentRunId: null,
      forks: [],
      replayOf: null,
      divergence: null,
      step: 0,
      next: [],
      waitingFor: [],
      retrying: [],
      pending: null,
      input: {},
      output: { log: ['a'] },
      error: null,
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 },
      limits: expect.objectContaining({ maxSteps: 25 }),
      metadata: { ticket: 7 },
      createdBy: 'uma',
      createdAt: at,
      startedAt: at,
      endedAt: at,
      lastSeq: expect.any(Number),
      workflowId: `run:demo:${textAt(body, '/id')}`,
    });
  });

  test('starting a run applies the reducers to the input on top of the defaults', async () => {
    const graph = { ...plain, channels: { log: { reducer: 'append', default: ['first'] } } } as const;
    expect(await startRun(stack.as('user'), graph, { log: ['given'] })).toMatchObject({
      output: { log: ['first', 'given', 'a'] },
    });
  });

  test('the start of a run can lower a limit of the graph', async () => {
    const nodes = { a: { type: 'set', write: { log: 'a' } }, b: { type: 'set', write: { log: 'b' } } } as const;
    const { body } = await postRun(stack.as('user'), { graph: aDefinition({ nodes }), limits: { maxSteps: 1 } });
    expect(body).toMatchObject({ status: 'failed', limits: { maxSteps: 1 }, error: { code: 'GRAPH_RECURSION_LIMIT' } });
  });

  test('a started run that fails reports the node and the reason', async () => {
    server.answers(answer(404, {}, 'no such thing'));
    const run = await startRun(stack.as('user'), working);
    const message = expect.stringContaining('no such thing');
    expect(run).toMatchObject({
      status: 'failed',
      output: null,
      error: { code: 'TOOL_FAILED', node: 'only', step: 0, attempts: 1, message },
    });
  });
});

describe('a refused start', () => {
  const typed = aDefinition({
    channels: { log: { reducer: 'append' }, amount: { schema: { type: 'number' } } },
    input: ['amount'],
  });
  const limited = (ofGraph: number | undefined, maxSteps: number): object => ({
    graph: { ...plain, ...(ofGraph !== undefined && { limits: { maxSteps: ofGraph } }) },
    limits: { maxSteps },
  });
  const refused: readonly [string, object, readonly [number, string, ...string[]]][] = [
    ['without a graph', { input: {} }, [422, 'INVALID_REQUEST', '/graph']],
    ['whose graph is a number', { graph: 7 }, [422, 'INVALID_REQUEST', '/graph']],
    ['of an unknown graph', { graph: 'nobody' }, [404, 'UNKNOWN_GRAPH']],
    ['of an unknown version', { graph: 'known@2' }, [404, 'UNKNOWN_GRAPH']],
    ['of version 0', { graph: 'known@0' }, [404, 'UNKNOWN_GRAPH']],
    ['of a version that is no number', { graph: 'known@one' }, [404, 'UNKNOWN_GRAPH']],
    ['of two versions at once', { graph: 'known@1@2' }, [404, 'UNKNOWN_GRAPH']],
    ['of a name in different case', { graph: 'Known' }, [404, 'UNKNOWN_GRAPH']],
    ['of input that is no object', { graph: typed, input: [] }, [422, 'INVALID_REQUEST', '/input']],
    ['of input for an unknown channel', { graph: typed, input: { sum: 1 } }, [422, 'INVALID_INPUT', '/input/sum']],
    [
      'of input for a channel that accepts no input',
      { graph: typed, input: { log: ['x'] } },
      [422, 'INVALID_INPUT', '/input/log'],
    ],
    [
      'of input that violates its schema',
      { graph: typed, input: { amount: '' } },
      [422, 'INVALID_INPUT', '/input/amount'],
    ],
    ['with a limit above the default', limited(undefined, 26), [422, 'LIMIT_TOO_LOOSE', '/limits/maxSteps']],
    ['with a limit above that of the graph', limited(3, 4), [422, 'LIMIT_TOO_LOOSE', '/limits/maxSteps']],
    ['with the limit 0', limited(3, 0), [422, 'INVALID_REQUEST', '/limits/maxSteps']],
    ['for another tenant', { graph: plain, tenantId: 'other' }, [422, 'INVALID_REQUEST', '/tenantId']],
    ['with two unknown fields', { graph: plain, a: 1, b: 2 }, [422, 'INVALID_REQUEST', '/a', '/b']],
  ];
  test.each(refused)('a start %s is refused with code and field', async (_what, body, [status, code, ...paths]) => {
    await publish(aVersion('known', 'one'));
    const answered = await start(body);
    expect(answered).toMatchObject(aProblem(status, code));
    expect(issuePathsOf(answered)).toEqual(paths);
  });

  test('the refused start of a misspelt graph name suggests the right one', async () => {
    await publish(aVersion('known', 'one'));
    await stack.as('user').send('/api/graphs/known/aliases/stable', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version: 1 }),
    });
    const said = async (graph: string) => at((await start({ graph })).body, '/detail');
    expect(await said('knows')).toBe('There is no graph "knows". Did you mean "known"?');
    expect(await said('known@table')).toBe('There is no graph "known@table". Did you mean "stable"?');
    expect(await said('known@7')).toBe('There is no graph "known@7".');
    expect((await stack.as('user').get('/api/graphs/knows')).body).toMatchObject({
      detail: 'There is no graph "knows". Did you mean "known"?',
    });
    expect((await stack.as('otherTenantUser').get('/api/graphs/knows')).body).toMatchObject({
      detail: 'There is no graph "knows".',
    });
  });

  test('the refused start of an invalid definition reports its issues', async () => {
    const answered = await start({ graph: { ...plain, nodes: { a: { type: 'tool', tool: 'nothing' } } } });
    expect(answered).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
    expect(issuePathsOf(answered)).toContainEqual(expect.stringMatching(/\/nodes\/a\/tool$/));
  });

  test('the start of another tenant’s graph is refused as not found', async () => {
    await publish(aVersion('secret', 'one'));
    const [foreign, missing] = await Promise.all(
      ['secret', 'absent'].map((graph) => stack.as('otherTenantUser').post('/api/runs', { graph })),
    );
    expect(foreign).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    expect(JSON.stringify(foreign?.body)).toBe(JSON.stringify(missing?.body).replaceAll('absent', 'secret'));
  });

  test('a refused start creates no run', async () => {
    await start({ graph: { ...plain, name: 'refused' }, limits: { maxSteps: 99 } });
    expect(await readAll(stack.as('user'), '/api/runs?graph=refused')).toEqual([]);
  });
});

describe('Prefer: wait', () => {
  test('a start with Prefer: wait responds when the run has ended', async () => {
    const { headers, body } = await start({ graph: plain }, { prefer: 'wait=60' });
    expect({ applied: headers.get('preference-applied'), status: at(body, '/status') }).toEqual({
      applied: 'wait=60',
      status: 'completed',
    });
  });

  test('a start with Prefer: wait responds when the run waits for a person', async () => {
    const { body } = await start({ graph: anAskingGraph() }, { prefer: 'wait=60' });
    expect(body).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'approval', node: 'only' }] });
  });

  test('a start with Prefer: wait responds after the given seconds while the run continues', async () => {
    server.answers(silence().answer);
    const { body } = await start({ graph: working }, { prefer: 'wait=1' });
    expect(['queued', 'running']).toContain(at(body, '/status'));
    await stack.as('user').post(`/api/runs/${textAt(body, '/id')}/cancel`, {});
  });

  test('Prefer: wait works for reading a run too', async () => {
    server.answers(json({ done: true }));
    const { body } = await start({ graph: working });
    const read = await stack.as('user').get(`/api/runs/${textAt(body, '/id')}`, { prefer: 'respond-async, wait=60' });
    expect(read.body).toMatchObject({ status: 'completed', output: { answer: { done: true } } });
  });

  test.each([
    ['wait=0', 'wait=0'],
    ['wait=3600', 'wait=60'],
    ['wait=soon', null],
    ['wait=-1', null],
    ['handling=strict', null],
  ])('Prefer: wait with the value %s is applied as %s', async (prefer, applied) => {
    const { body } = await start({ graph: plain }, { prefer: 'wait=15' });
    const { headers } = await stack.as('user').get(`/api/runs/${textAt(body, '/id')}`, { prefer });
    expect(headers.get('preference-applied')).toBe(applied);
  });
});

describe('Idempotency-Key', () => {
  const keyed = async (key: string, body: object, caller: 'user' | 'admin' | 'otherTenantUser' = 'user') =>
    await stack.as(caller).post('/api/runs', body, { 'idempotency-key': key });

  test('50 concurrent requests with one Idempotency-Key start one run', async () => {
    const graph = aDefinition({ name: 'fifty' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => keyed('fifty', { graph })));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => textAt(body, '/id'))).size).toBe(1);
    expect(made.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 201))
      expect(refused).toMatchObject(aProblem(409, 'REQUEST_IN_PROGRESS'));
    expect(await readAll(stack.as('user'), '/api/runs?graph=fifty')).toHaveLength(1);
  });

  test('a repeated Idempotency-Key returns the first response again, with its Location', async () => {
    const first = await keyed('again', { graph: plain, metadata: { a: 1, b: 2 } });
    const second = await keyed('"again"', { metadata: { b: 2, a: 1 }, graph: plain });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('a repeated Idempotency-Key with another body is refused', async () => {
    await keyed('reused', { graph: plain });
    expect(await keyed('reused', { graph: plain, metadata: { a: 1 } })).toMatchObject(
      aProblem(422, 'IDEMPOTENCY_KEY_REUSED'),
    );
  });

  test.each(['admin', 'otherTenantUser'] as const)(
    'an Idempotency-Key of the caller %s does not match the same key of another caller',
    async (caller) => {
      const [mine, theirs] = [
        await keyed(`mine-and-${caller}`, { graph: plain }),
        await keyed(`mine-and-${caller}`, { graph: plain }, caller),
      ];
      expect(theirs.status).toBe(201);
      expect(textAt(theirs.body, '/id')).not.toBe(textAt(mine.body, '/id'));
    },
  );

  test('a repeated Idempotency-Key returns a refusal again', async () => {
    const first = await keyed('late', { graph: 'published-later' });
    await publish(aVersion('published-later', 'one'));
    const second = await keyed('late', { graph: 'published-later' });
    expect(second).toMatchObject({ ...aProblem(404, 'UNKNOWN_GRAPH'), body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each([['""'], ['x'.repeat(256)]])('an Idempotency-Key with the value %s is refused', async (key) => {
    expect(await keyed(key, { graph: plain })).toMatchObject(aProblem(400, 'INVALID_IDEMPOTENCY_KEY'));
  });

  test('every request without an Idempotency-Key starts its own run', async () => {
    const [one, two] = [await start({ graph: plain }), await start({ graph: plain })];
    expect(textAt(one.body, '/id')).not.toBe(textAt(two.body, '/id'));
  });
});

describe('canceling', () => {
  const cancel = async (id: string, body: object = {}) => await stack.as('user').post(`/api/runs/${id}/cancel`, body);

  test.each(['work', 'risky'])('canceling a run cancels its call of the tool "%s" and its approvals', async (tool) => {
    const call = silence();
    server.answers(call.answer);
    const both = aGraphOf({ type: 'tool', tool }, { edges: [{ from: '__start__', to: ['only', 'ask'] }] });
    const graph = { ...both, nodes: { ...both.nodes, ask: { type: 'approval', title: 'May I?' } } };
    const { body } = await start({ graph });
    const id = textAt(body, '/id');
    const approvals = async () => await readAll(stack.as('user'), `/api/approvals?runId=${id}`);
    await call.asked;
    await expect.poll(approvals).toMatchObject([{ status: 'pending' }]);
    expect(await cancel(id)).toMatchObject({ status: 202, body: { id } });
    await call.left;
    await stack.as('user').untilRun(id, hasStatus('canceled'));
    expect(await approvals()).toMatchObject([{ status: 'canceled' }]);
  });

  test('canceling a waiting run ends it at once, and the history records the person and the reason', async () => {
    const { runId } = await startAsking(stack.as('user'));
    const { status, body } = await cancel(runId, { reason: 'not needed' });
    expect({ status, body }).toMatchObject({
      status: 202,
      body: { status: 'canceled', waitingFor: [], endedAt: expect.stringMatching(/Z$/) },
    });
    await stack.as('user').untilRun(runId, hasStatus('canceled'));
    expect((await eventsOf(stack.as('user'), runId)).at(-1)).toMatchObject({
      type: 'run.canceled',
      by: 'uma',
      reason: 'not needed',
    });
  });

  test('canceling a run in which an element of a list waits for a retry ends the run, and the element is reported', async () => {
    server.answers(answer(503), answer(503));
    const retry = { maxAttempts: 2, initialInterval: '1h', maxInterval: '1h' };
    const graph = {
      name: 'each-again',
      channels: {},
      nodes: { only: { type: 'tool', tool: 'work', retry } },
      edges: [{ from: '__start__', forEach: '[1, 2]', to: 'only' }],
    };
    const { body } = await start({ graph });
    const id = textAt(body, '/id');
    await expect
      .poll(async () => await stack.as('user').get(`/api/runs/${id}`))
      .toMatchObject({
        body: {
          retrying: [
            { node: 'only', index: 0, attempt: 2 },
            { node: 'only', index: 1, attempt: 2 },
          ],
        },
      });
    await cancel(id);
    await stack.as('user').untilRun(id, hasStatus('canceled'));
  });

  test('canceling a run whose call waits for its next attempt ends the run', async () => {
    server.answers(answer(503));
    const retry = { maxAttempts: 2, initialInterval: '1h', maxInterval: '1h' };
    const { body } = await start({ graph: aGraphOf({ type: 'tool', tool: 'work', retry }) });
    const id = textAt(body, '/id');
    const retrying = [
      { node: 'only', attempt: 2, lastError: { code: 'TOOL_FAILED' }, nextAttemptAt: expect.stringMatching(/Z$/) },
    ];
    await expect.poll(async () => await stack.as('user').get(`/api/runs/${id}`)).toMatchObject({ body: { retrying } });
    await cancel(id);
    await stack.as('user').untilRun(id, hasStatus('canceled'));
  });

  test('canceling a run that has ended is refused', async () => {
    const run = await startRun(stack.as('user'), plain);
    expect(await cancel(textAt(run, '/id'))).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test('canceling a run a second time is refused', async () => {
    const { runId } = await startAsking(stack.as('user'));
    await cancel(runId);
    expect(await cancel(runId)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test('canceling an unknown run is refused', async () => {
    expect(await cancel('01JZZZZZZZZZZZZZZZZZZZZZZZ')).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
  });
});
