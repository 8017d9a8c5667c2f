import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { anAskingGraph, eventsOf, startRun } from '../../support/readers/api-runs.ts';
import { aJob, checkpointsOf, etagOf, patchState } from '../../support/readers/api-states.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

const { service, user, runOf, control, until } = useWorkingStack(startTestStack);

const patch = async (id: string, edit: Parameters<typeof patchState>[2]) => await patchState(user(), id, edit);

const three = aDefinition({ nodes: { a: aJob('a'), b: aJob('b'), c: aJob('c') } });

async function startCompleted(graph: GraphDefinition = three): Promise<string> {
  const run = await startRun(user(), graph);
  expect(run).toMatchObject({ status: 'completed' });
  return textAt(run, '/id');
}

async function startFailed(): Promise<string> {
  service().refuse('b');
  const run = await startRun(user(), three);
  expect(run).toMatchObject({ status: 'failed' });
  return textAt(run, '/id');
}

async function startCanceled(): Promise<string> {
  const id = textAt(await startRun(user(), anAskingGraph()), '/id');
  await control(id, 'cancel');
  await until(id, 'canceled');
  return id;
}

describe('an edit of an ended run', () => {
  test.each([
    ['completed', startCompleted, { log: 'x' }],
    ['failed', startFailed, { log: 'x' }],
    ['canceled', startCanceled, { given: 'x' }],
  ])('an edit of an ended run keeps its status %s', async (_status, start, values) => {
    const id = await start();
    const before = await runOf(id);
    expect(await patch(id, { values })).toMatchObject({ status: 200 });
    const events = await eventsOf(user(), id);
    expect(await runOf(id)).toEqual({ ...Object(before), lastSeq: at(events, `/${events.length - 1}/seq`) });
  });

  test('an edit of an ended run applies the reducers and writes its own checkpoint', async () => {
    const id = await startCompleted();
    const patched = await patch(id, { values: { log: ['x', 'y'] } });
    expect(patched).toMatchObject({ status: 200, body: { values: { log: ['a', 'b', 'c', 'x', 'y'] }, next: [] } });
    expect((await checkpointsOf(user(), id)).at(-1)).toMatchObject({ source: 'update', step: 2, next: [] });
    expect(await eventsOf(user(), id, 'state.updated')).toMatchObject([{ by: 'uma' }]);
  });

  test('an edit of an ended run creates a new ETag and makes the old one stale', async () => {
    const id = await startCompleted();
    const etag = await etagOf(user(), id);
    const patched = await patch(id, { values: { log: 'x' }, etag });
    expect(patched.headers.get('etag')).toBe(await etagOf(user(), id));
    expect(patched.headers.get('etag')).not.toBe(etag);
    expect(await patch(id, { values: { log: 'y' }, etag })).toMatchObject(aProblem(412, 'STALE'));
  });

  test('an edit of an ended run needs an ETag', async () => {
    const id = await startCompleted();
    expect(await patch(id, { values: { log: 'x' }, etag: null })).toMatchObject(aProblem(428, 'PRECONDITION_REQUIRED'));
  });

  test('an edit of an ended run can be followed by another edit at once', async () => {
    const id = await startCompleted();
    for (const log of ['1', '2', '3', '4']) expect(await patch(id, { values: { log } })).toMatchObject({ status: 200 });
    const { body } = await user().get(`/api/runs/${id}/state`);
    expect(at(body, '/values/log')).toEqual(['a', 'b', 'c', '1', '2', '3', '4']);
  });

  test('of many edits of an ended run under one ETag one is accepted', async () => {
    const id = await startCompleted();
    const etag = await etagOf(user(), id);
    const answers = await Promise.all(['1', '2', '3', '4'].map((log) => patch(id, { values: { log }, etag })));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '412', '412', '412']);
    expect(await eventsOf(user(), id, 'state.updated')).toHaveLength(1);
  });

  test.each([
    [{ values: { lgo: 'x' } }, '/values/lgo'],
    [{ asNode: 'x' }, '/asNode'],
  ])('an edit of an ended run with the invalid body %j changes nothing', async (edit, path) => {
    const id = await startCompleted();
    const before = await user().get(`/api/runs/${id}/state`);
    const refused = await patch(id, edit);
    expect({ status: refused.status, paths: issuePathsOf(refused) }).toEqual({ status: 422, paths: [path] });
    expect((await user().get(`/api/runs/${id}/state`)).body).toEqual(before.body);
  });
});

describe('an edit as a node', () => {
  test.each([
    ['completed', startCompleted, ['a', 'b', 'c', 'x', 'b', 'c']],
    ['failed', startFailed, ['a', 'x', 'b', 'c']],
  ])(
    'an edit as a node pauses an ended run (%s) before the next node, and a resume continues it',
    async (_status, start, log) => {
      const id = await start();
      expect(await patch(id, { values: { log: 'x' }, asNode: 'a' })).toMatchObject({
        status: 200,
        body: { next: ['b'] },
      });
      expect(await runOf(id)).toMatchObject({ status: 'paused', endedAt: null, output: null, error: null });
      await control(id, 'resume');
      expect(await until(id, 'completed')).toMatchObject({ output: { log } });
      expect(service().done.filter((job) => job !== 'a')).toEqual(log.filter((job) => !'ax'.includes(job)));
    },
  );

  test('an edit as a node without a next node leaves the run ended', async () => {
    const id = await startCompleted();
    expect(await patch(id, { values: { log: 'x' }, asNode: 'c' })).toMatchObject({ status: 200, body: { next: [] } });
    expect(await runOf(id)).toMatchObject({ status: 'completed' });
  });

  test('an edit as a node whose edges fail on the new state is refused', async () => {
    const graph = aDefinition({
      channels: { log: { reducer: 'append' }, n: { default: 1 } },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', branches: [{ when: 'state.n > 1', to: 'a' }, { to: '__end__' }] },
      ],
    });
    const id = await startCompleted(graph);
    const refused = await patch(id, { values: { n: 'text' }, asNode: 'a' });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_VALUES'));
    expect(await runOf(id)).toMatchObject({ status: 'completed' });
  });

  test('an edit as an approval node needs the right to decide the approval', async () => {
    const id = await startCanceled();
    expect(await patch(id, { asNode: 'only' })).toMatchObject(aProblem(403, 'NOT_AN_APPROVER'));
    expect(await runOf(id)).toMatchObject({ status: 'canceled' });
  });

  test('an edit as a node of a paused run continues the history without gap or repeat', async () => {
    const id = await startCompleted();
    await patch(id, { values: {}, asNode: 'b' });
    await control(id, 'resume');
    await until(id, 'completed');
    const events = await eventsOf(user(), id);
    expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, index) => index + 1));
    const types = events.map((event) => textAt(event, '/type')).filter((type) => type.startsWith('run.'));
    expect(types).toEqual(['run.started', 'run.completed', 'run.paused', 'run.resumed', 'run.completed']);
    expect(service().done).toEqual(['a', 'b', 'c', 'c']);
  });
});
