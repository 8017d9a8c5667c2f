import { expect, test } from 'vitest';
import { aDefinition } from '../../support/builders/builders.ts';
import { anAskingGraph, postRun, startRun } from '../../support/readers/api-runs.ts';
import { aJob, checkpointWhere, checkpointsOf, hasNextNodes, patchState } from '../../support/readers/api-states.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

const { service, user, get, control, until } = useWorkingStack(startTestStack);
const three = aDefinition({ nodes: { a: aJob('a'), b: aJob('b'), c: aJob('c') } });

test.each([
  ['retry', {}],
  ['skip', { output: { job: 'x' } }],
])('the control %s is refused for a run that was canceled while an intervention waited', async (name, body) => {
  service().refuse('a');
  const graph = aDefinition({ nodes: { a: aJob('a', { onError: 'intervene' }), b: aJob('b') } });
  const id = textAt(await startRun(user(), graph), '/id');
  await control(id, 'cancel');
  await until(id, 'canceled');
  expect(await control(id, name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
});
test('of several concurrent retries of a run one is accepted, and the others get 409', async () => {
  service().refuse('b');
  const id = textAt(await startRun(user(), three), '/id');
  const answers = await Promise.all(Array.from({ length: 5 }, () => control(id, 'retry')));
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['202', '409', '409', '409', '409']);
});
async function startLimited(): Promise<string> {
  const { body } = await postRun(user(), { graph: { ...three, limits: { maxSteps: 5 } }, limits: { maxSteps: 1 } });
  return textAt(body, '/id');
}
test('a run records the limits of two concurrent retries of different nodes', async () => {
  for (const job of ['x', 'y']) service().refuse(job);
  const nodes = { x: aJob('x', { onError: 'intervene' }), y: aJob('y', { onError: 'intervene' }) };
  const graph = aDefinition({ nodes, edges: [{ from: '__start__', to: ['x', 'y'] }], limits: { maxSteps: 5 } });
  const id = textAt(await startRun(user(), graph), '/id');
  const retries = [
    { node: 'x', limits: { maxSteps: 4 } },
    { node: 'y', limits: { maxToolCalls: 9 } },
  ];
  const answers = await Promise.all(retries.map((retry) => control(id, 'retry', retry)));
  expect(answers).toMatchObject([{ status: 202 }, { status: 202 }]);
  await expect.poll(() => get(`/api/runs/${id}`)).toMatchObject({ limits: { maxSteps: 4, maxToolCalls: 9 } });
});
test('the response to a retry contains the new limits', async () => {
  const answer = await control(await startLimited(), 'retry', { limits: { maxSteps: 5 } });
  expect(answer).toMatchObject({ status: 202, body: { limits: { maxSteps: 5 } } });
});
test('a fork of a run whose limits were raised by a retry has the raised limits', async () => {
  const id = await startLimited();
  await control(id, 'retry', { limits: { maxSteps: 5 } });
  await until(id, 'completed');
  const { body } = await control(id, 'fork', { checkpoint: await checkpointWhere(user(), id, hasNextNodes('b')) });
  expect(await until(textAt(body, '/id'), 'completed', 'failed')).toMatchObject({
    limits: { maxSteps: 5 },
    error: null,
  });
});
test('the response to the cancellation of a queued run has the status canceled', async () => {
  const begin = async () =>
    await user().post('/api/runs', { graph: anAskingGraph(), threadId: 'b5', onBusy: 'enqueue' });
  await begin();
  const { body } = await begin();
  expect(await control(textAt(body, '/id'), 'cancel')).toMatchObject({ status: 202, body: { status: 'canceled' } });
});
test('a thread keeps its state when the next input violates a schema', async () => {
  const channels = { log: { reducer: 'append', schema: { type: 'array', maxItems: 3 } } } as const;
  const graph = aDefinition({ channels, nodes: { a: { type: 'set', write: {} } } });
  const begin = async (log: number[]) => (await postRun(user(), { graph, input: { log }, threadId: 'b6' })).body;
  await begin([1, 2, 3]);
  expect(await begin([4])).toMatchObject({ status: 'failed', error: { code: 'CHANNEL_SCHEMA_VIOLATION' } });
  expect(await get('/api/threads/b6/state')).toMatchObject({ values: { log: [1, 2, 3] } });
  expect(await begin([])).toMatchObject({ output: { log: [1, 2, 3] } });
});
test('the state of a thread is never empty while its next run begins', async () => {
  const begin = async () => (await postRun(user(), { graph: aDefinition(), threadId: 'b7' })).body;
  await begin();
  for (let times = 0; times < 5; times++) {
    const next = begin();
    for (let reads = 0; reads < 5; reads++) expect(at(await get('/api/threads/b7/state'), '/values/log')).toBeDefined();
    await next;
  }
});
test('an interrupting run behind a queued one ends the active run of the thread', async () => {
  const begin = async (onBusy: string) =>
    textAt((await user().post('/api/runs', { graph: anAskingGraph(), threadId: 'b8', onBusy })).body, '/id');
  const active = await begin('reject');
  await until(active, 'waiting');
  await begin('enqueue');
  await begin('interrupt');
  await expect.poll(async () => at(await get(`/api/runs/${active}`), '/status')).toBe('canceled');
}, 30_000);
test('the difference of a fork that has not started begins at its checkpoint', async () => {
  const id = textAt(await startRun(user(), three), '/id');
  const { body } = await control(id, 'fork', { checkpoint: await checkpointWhere(user(), id, hasNextNodes('b')) });
  expect(await get(`/api/runs/${id}/diff?with=${textAt(body, '/id')}`)).toMatchObject({ common: { runId: id } });
});
test('a thread id with a NUL character causes no server error', async () => {
  const answer = await user().post('/api/runs', { graph: aDefinition(), threadId: 'a\u0000b' });
  expect(answer.status).toBeLessThan(500);
});
test('an edit of the state belongs to the superstep before it', async () => {
  const id = textAt(await startRun(user(), three), '/id');
  await patchState(user(), id, { values: { log: 'x' } });
  expect((await checkpointsOf(user(), id)).map((one) => at(one, '/step'))).toEqual([-1, 0, 1, 2, 2]);
});
test('a fork from an edit of the state has as many supersteps left as its parent', async () => {
  const id = textAt(await startRun(user(), { ...three, limits: { maxSteps: 4 } }), '/id');
  await patchState(user(), id, { values: { log: 'x' } });
  const { body } = await control(id, 'fork', {
    checkpoint: await checkpointWhere(user(), id, hasNextNodes()),
    asNode: 'b',
  });
  expect(await until(textAt(body, '/id'), 'completed', 'failed')).toMatchObject({ status: 'completed' });
});
test("a fork of a run that is paused at one of the run's own breakpoints pauses there again", async () => {
  const { body } = await user().post('/api/runs', { graph: three, interruptBefore: ['b'] });
  const id = textAt(body, '/id');
  await until(id, 'paused');
  const fork = await control(id, 'fork', { checkpoint: await checkpointWhere(user(), id, hasNextNodes('b')) });
  expect(await until(textAt(fork.body, '/id'), 'completed', 'paused')).toMatchObject({ status: 'paused' });
});
