import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { anAskingGraph, eventsOf, postRun, startRun } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { createRunControls } from '../support/readers/run-controls.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(async () => await stack.stop());

const adds = (text: string) => ({ type: 'set', write: { log: text } }) as const;
const three = aDefinition({
  channels: { log: { reducer: 'append' }, n: { schema: { type: ['number', 'null'] } } },
  output: ['log'],
  nodes: { a: adds('a'), b: adds('b'), c: adds('c') },
});
const { runOf, control, until } = createRunControls(() => stack.as('user'));

/** Starts a run that pauses before a node. */
async function startStopping(over: object = { interruptBefore: ['b'] }): Promise<Json> {
  const { body } = await postRun(stack.as('user'), { graph: three, ...over });
  return body;
}

describe('breakpoints of one run', () => {
  test('breakpoints of one run pause it before the node, and a resume continues with new values', async () => {
    const run = await startStopping();
    expect(run).toMatchObject({ status: 'paused', next: ['b'] });
    expect(await control(textAt(run, '/id'), 'resume', { values: { log: 'x' } })).toMatchObject({ status: 202 });
    expect(at(await until(textAt(run, '/id'), 'completed'), '/output')).toEqual({ log: ['a', 'x', 'b', 'c'] });
    const types = (await eventsOf(stack.as('user'), textAt(run, '/id'))).map((event) => at(event, '/type'));
    expect(types).toEqual(expect.arrayContaining(['run.paused', 'state.updated', 'run.resumed']));
  });

  test('breakpoints of one run can be inside a subgraph or at the start of the run', async () => {
    const run = await startStopping({ startAt: 'b', interruptAfter: ['*'] });
    expect(run).toMatchObject({ status: 'paused', next: ['c'] });
    await control(textAt(run, '/id'), 'resume');
    expect(await until(textAt(run, '/id'), 'paused')).toMatchObject({ next: expect.toSatisfy(Array.isArray) });
  });

  test.each([
    [{ interruptBefore: ['x'] }, '/interruptBefore/0'],
    [{ interruptAfter: ['a', 'x'] }, '/interruptAfter/1'],
    [{ startAt: '*' }, '/startAt'],
  ])('breakpoints of one run with %j are refused as unknown nodes', async (over, path) => {
    const refused = await stack.as('user').post('/api/runs', { graph: three, ...over });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(refused)).toEqual([path]);
  });
});

describe('pausing', () => {
  test('pausing stops a waiting run, which accepts decisions and executes nothing until it is resumed', async () => {
    const run = await startRun(stack.as('user'), anAskingGraph());
    const id = textAt(run, '/id');
    expect(await control(id, 'pause', { reason: 'lunch' })).toMatchObject({ status: 202, body: { status: 'paused' } });
    expect(await stack.as('approver').post(`/api/runs/${id}/approve`, {})).toMatchObject({ status: 200 });
    await expect.poll(() => runOf(id)).toMatchObject({ status: 'paused', waitingFor: [] });
    await control(id, 'resume');
    expect(at(await until(id, 'completed'), '/output/answer/decision')).toBe('approved');
  });

  test('pausing a paused run is refused, and so is resuming a run that is not paused', async () => {
    const id = textAt(await startStopping(), '/id');
    expect(await control(id, 'pause')).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    await control(id, 'resume');
    await until(id, 'completed');
    expect(await control(id, 'resume')).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test('a pause stays in force when a resume names another checkpoint or an unknown channel', async () => {
    const id = textAt(await startStopping(), '/id');
    expect(await control(id, 'resume', { checkpoint: 'other' })).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    const refused = await control(id, 'resume', { values: { lgo: 'x' } });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_VALUES'));
    expect(issuePathsOf(refused)).toEqual(['/values/lgo']);
    expect((await stack.as('user').get(`/api/runs/${id}`)).body).toMatchObject({ status: 'paused' });
  });
});

describe('replanning', () => {
  test('a replanned run continues at the named node only', async () => {
    const id = textAt(await startStopping(), '/id');
    await control(id, 'replan', { node: 'c', values: { log: 'skipped b' } });
    expect(at(await until(id, 'completed'), '/output')).toEqual({ log: ['a', 'skipped b', 'c'] });
  });

  test('replanning past an approval node needs the right to decide the approval', async () => {
    const asking = anAskingGraph({ policy: { roles: ['approver'] } });
    const id = textAt(await startRun(stack.as('user'), asking), '/id');
    expect(await control(id, 'replan', { node: 'only' })).toMatchObject(aProblem(403, 'NOT_AN_APPROVER'));
    expect((await stack.as('user').get(`/api/runs/${id}`)).body).toMatchObject({ status: 'waiting' });
  });
});

describe('an edit of the state', () => {
  async function patch(id: string, body: object, headers: Record<string, string>) {
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json', ...headers } };
    return await stack.as('user').send(`/api/runs/${id}/state`, { ...init, body: JSON.stringify(body) });
  }
  const etagOf = async (id: string): Promise<string> =>
    (await stack.as('user').get(`/api/runs/${id}/state`)).headers.get('etag') ?? '';

  test('an edit of the state applies the reducers once under the ETag that was read', async () => {
    const id = textAt(await startStopping(), '/id');
    const etag = await etagOf(id);
    const patched = await patch(id, { values: { log: 'x' } }, { 'if-match': etag });
    expect(patched).toMatchObject({ status: 200, body: { values: { log: ['a', 'x'] }, next: ['b'] } });
    expect(patched.headers.get('etag')).not.toBe(etag);
    expect(await patch(id, { values: {} }, { 'if-match': etag })).toMatchObject(aProblem(412, 'STALE'));
    expect(await patch(id, { values: {} }, {})).toMatchObject(aProblem(428, 'PRECONDITION_REQUIRED'));
  });

  test.each([
    ['any state', () => '*', 200],
    ['the current ETag in a list', (etag: string) => `"other", ${etag}`, 200],
    ['only other ETags in a list', () => '"one", "other"', 412],
    ['a weak validator', (etag: string) => `W/${etag}`, 412],
  ])('an edit of the state under an If-Match of %s gets its documented status', async (_what, header, status) => {
    const id = textAt(await startStopping(), '/id');
    const ifMatch = header(await etagOf(id));
    expect(await patch(id, { values: { log: 'x' } }, { 'if-match': ifMatch })).toMatchObject({ status });
  });

  test('an edit of the state that violates the schema is refused, and the error contains the value', async () => {
    const id = textAt(await startStopping(), '/id');
    const refused = await patch(id, { values: { log: 'x', n: 'text' } }, { 'if-match': await etagOf(id) });
    expect(issuePathsOf(refused)).toEqual(['/values/n']);
  });

  test('an edit of the state as a node follows the edges of that node, and abandons the open superstep', async () => {
    const id = textAt(await startStopping(), '/id');
    const patched = await patch(id, { values: {}, asNode: 'b' }, { 'if-match': await etagOf(id) });
    expect(patched).toMatchObject({ status: 200, body: { next: ['c'] } });
    await control(id, 'resume');
    expect(at(await until(id, 'completed'), '/output')).toEqual({ log: ['a', 'c'] });
  });

  test('an edit of the state as an unknown node is refused', async () => {
    const id = textAt(await startStopping(), '/id');
    const refused = await patch(id, { values: {}, asNode: 'x' }, { 'if-match': await etagOf(id) });
    expect(issuePathsOf(refused)).toEqual(['/asNode']);
  });
});

describe('signals with an event', () => {
  const waiting = aDefinition({
    channels: { got: {} },
    nodes: { wait: { type: 'wait', event: 'paid', write: 'got' }, after: { type: 'set', write: {} } },
  });

  test.each([[{ amount: 3 }], [false], [0], [''], [null]])(
    'a signal with an event delivers the payload %j to the waiting node',
    async (payload) => {
      const run = await startRun(stack.as('user'), waiting);
      expect(at(run, '/waitingFor')).toMatchObject([{ kind: 'event', node: 'wait', id: 'paid' }]);
      await control(textAt(run, '/id'), 'signal', { event: 'paid', payload });
      expect(at(await until(textAt(run, '/id'), 'completed'), '/output/got')).toEqual(payload);
    },
  );
});

describe('subgraphs by name', () => {
  const child = (text: string): GraphDefinition => aDefinition({ name: 'child', nodes: { say: adds(text) } });
  const parent = aDefinition({
    name: 'parent',
    channels: { said: {} },
    nodes: { ask: { type: 'subgraph', graph: 'child', write: { said: '{{ result.log }}' } } },
  });
  const publish = async (definition: GraphDefinition) => await stack.as('user').post('/api/graphs', definition);

  test('subgraphs referenced by name are pinned to the newest versions when the parent is published', async () => {
    expect(await publish(parent)).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
    await publish(child('one'));
    await publish(parent);
    await publish(child('two'));
    expect(at(await startRun(stack.as('user'), 'parent'), '/output')).toEqual({ said: ['one'] });
    expect(at(await startRun(stack.as('user'), { ...parent, name: 'fresh' }), '/output')).toEqual({ said: ['two'] });
  });

  test('subgraphs of another tenant that are referenced by name are not found', async () => {
    await publish(child('one'));
    const refused = await stack.as('otherTenantUser').post('/api/graphs', parent);
    expect(issuePathsOf(refused)).toEqual(['/nodes/ask/graph']);
  });
});
