import { describe, expect, test } from 'vitest';
import type { Tokens } from '../../src/dev/issuer.ts';
import { eventsOf, hasStatus, readAll } from '../support/readers/api-runs.ts';
import { aJob, checkpointWhere, hasNextNodes, patchState } from '../support/readers/api-states.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { aProblem } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import { useWorkingStack } from '../support/servers/working-stack.ts';

const { stack, service, user, get, control, until } = useWorkingStack(startTestStack);

/** Executes the input `say` as a job and logs it. */
const saying = aDefinition({
  channels: { log: { reducer: 'append' }, say: {} },
  output: ['log'],
  nodes: { only: aJob('{{ state.say }}') },
});
const asking = { ...saying, nodes: { only: { type: 'approval', title: 'Go on?' } } } as const;

interface Starting {
  readonly threadId: string;
  readonly as?: keyof Tokens;
  readonly say?: string;
  readonly graph?: object;
  readonly onBusy?: string;
}

const start = async ({ as = 'user', say = 'hi', graph = saying, ...over }: Starting) =>
  await stack()
    .as(as)
    .post('/api/runs', { graph, input: { say }, ...over });

/** Starts a run and waits until it rests. */
async function started(starting: Starting): Promise<string> {
  const { status, body } = await start(starting);
  expect({ status, detail: at(body, '/detail') }).toEqual({ status: 201, detail: undefined });
  return textAt(await until(textAt(body, '/id'), 'completed', 'failed', 'waiting', 'paused'), '/id');
}

describe('a thread', () => {
  test('a thread continues from the state that the last run left', async () => {
    for (const say of ['one', 'two', 'three']) await started({ threadId: 'goes on', say });
    expect(await get('/api/threads/goes%20on/state')).toMatchObject({
      values: { log: ['one', 'two', 'three'], say: 'three' },
      next: [],
    });
    expect(service().done).toEqual(['one', 'two', 'three']);
  });

  test('a thread lists its runs', async () => {
    const [first, second] = [await started({ threadId: 'tells' }), await started({ threadId: 'tells', graph: asking })];
    expect(await get('/api/threads/tells')).toEqual({
      id: 'tells',
      activeRunId: second,
      lastRunId: second,
      queued: [],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await get(`/api/runs/${first}`)).toMatchObject({ threadId: 'tells', parentRunId: null });
  });

  test('a thread keeps the values of channels of the same name for another graph', async () => {
    await started({ threadId: 'other graph', say: 'one' });
    const channels = { log: { reducer: 'append' }, say: {}, more: { default: 'new' } } as const;
    const graph = aDefinition({ name: 'other', channels, nodes: { z: aJob('{{ state.more }}') } });
    const id = await started({ threadId: 'other graph', graph });
    expect(await get(`/api/runs/${id}`)).toMatchObject({ output: { log: ['one', 'new'], more: 'new' } });
  });

  test('a thread is free when its run has failed, and continues from its last state', async () => {
    const graph = { ...saying, nodes: { first: aJob('first'), only: aJob('{{ state.say }}') } };
    const edges = [
      { from: '__start__', to: 'first' },
      { from: 'first', to: 'only' },
    ];
    service().refuse('bad');
    const failed = await started({ threadId: 'free', graph: { ...graph, edges }, say: 'bad' });
    expect(await get(`/api/runs/${failed}`)).toMatchObject({ status: 'failed' });
    expect(await get('/api/threads/free')).toMatchObject({ activeRunId: null, lastRunId: failed });
    await started({ threadId: 'free', say: 'good' });
    expect(await get('/api/threads/free/state')).toMatchObject({ values: { log: ['first', 'good'] } });
  });

  test('a thread is free when its run is canceled', async () => {
    const id = await started({ threadId: 'canceled', graph: asking });
    await control(id, 'cancel');
    await until(id, 'canceled');
    expect(await get('/api/threads/canceled')).toMatchObject({ activeRunId: null, lastRunId: id });
    expect(await start({ threadId: 'canceled' })).toMatchObject({ status: 201 });
  });

  test.each(['waiting', 'paused'])('a thread is busy while its run is %s', async (status) => {
    const threadId = `busy ${status}`;
    const id = await started({ threadId, graph: asking });
    if (status === 'paused') await control(id, 'pause');
    await until(id, status);
    expect(await start({ threadId })).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    expect(await get(`/api/threads/${threadId}`)).toMatchObject({ activeRunId: id });
  });

  test('a thread continues from the edited state of its last run', async () => {
    const id = await started({ threadId: 'corrected', say: 'one' });
    expect(await patchState(user(), id, { values: { log: 'corrected' } })).toMatchObject({ status: 200 });
    await started({ threadId: 'corrected', say: 'two' });
    expect(await get('/api/threads/corrected/state')).toMatchObject({ values: { log: ['one', 'corrected', 'two'] } });
  });

  test('a thread does not include forks of its runs', async () => {
    const id = await started({ threadId: 'forked' });
    const checkpoint = await checkpointWhere(user(), id, hasNextNodes('only'));
    const { body } = await control(id, 'fork', { checkpoint });
    expect(body).toMatchObject({ threadId: null, parentRunId: id });
    await until(textAt(body, '/id'), 'completed');
    expect(await get('/api/threads/forked')).toMatchObject({ activeRunId: null, lastRunId: id });
    expect(await readAll(user(), '/api/threads/forked/runs')).toHaveLength(1);
  });
});

describe('a reopened run of a thread', () => {
  test('reopening the last run of a thread makes the thread busy again', async () => {
    service().refuse('hi');
    const id = await started({ threadId: 'again' });
    const held = service().hold('hi');
    expect(await control(id, 'retry')).toMatchObject({ status: 202 });
    const release = await held;
    expect(await get('/api/threads/again')).toMatchObject({ activeRunId: id, lastRunId: id });
    expect(await start({ threadId: 'again' })).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    release();
    await until(id, 'completed');
    expect(await get('/api/threads/again')).toMatchObject({ activeRunId: null });
    await started({ threadId: 'again', say: 'next' });
    expect(await get('/api/threads/again/state')).toMatchObject({ values: { log: ['hi', 'next'] } });
  });

  const ways = [
    ['retried', (id: string) => control(id, 'retry')],
    ['skipped', (id: string) => control(id, 'skip', { output: { job: 'x' } })],
    ['replanned', (id: string) => control(id, 'replan', { node: 'only' })],
  ] as const;

  test.each(ways)('a reopened run of a thread can not be %s when it has a successor', async (way, act) => {
    service().refuse('hi');
    const threadId = `successor ${way}`;
    const id = await started({ threadId });
    const successor = await started({ threadId, say: 'next' });
    const before = await get(`/api/runs/${id}`);
    expect(await act(id)).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    expect(await get(`/api/runs/${id}`)).toEqual(before);
    expect(await get(`/api/threads/${threadId}`)).toMatchObject({ activeRunId: null, lastRunId: successor });
  });

  test('a reopened run of a thread can be edited when it has a successor: it stays ended, and the successor keeps its own state', async () => {
    const id = await started({ threadId: 'corrected behind' });
    const successor = await started({ threadId: 'corrected behind', graph: asking, say: 'next' });
    const patched = await patchState(user(), id, { values: { log: 'x' } });
    expect(patched).toMatchObject({ status: 200, body: { values: { log: ['hi', 'x'] } } });
    expect(await get(`/api/runs/${id}`)).toMatchObject({ status: 'completed' });
    expect(await get('/api/threads/corrected%20behind')).toMatchObject({
      activeRunId: successor,
      lastRunId: successor,
    });
    expect(at(await get('/api/threads/corrected%20behind/state'), '/values/log')).toEqual(['hi']);
  });

  test('a reopened run of a thread can not be retried while another run is active', async () => {
    service().refuse('hi');
    const id = await started({ threadId: 'at work' });
    await started({ threadId: 'at work', graph: asking });
    expect(await control(id, 'retry')).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    expect(service().calls).toHaveLength(1);
  });

  test('a reopened run and a concurrent new run compete for the thread, and only one of them gets it', async () => {
    service().refuse('hi');
    const id = await started({ threadId: 'same moment' });
    const [again, fresh] = await Promise.all([control(id, 'retry'), start({ threadId: 'same moment', say: 'fresh' })]);
    const statuses = [again.status, fresh.status];
    expect([JSON.stringify([202, 409]), JSON.stringify([409, 201])]).toContain(JSON.stringify(statuses));
    await expect.poll(async () => at(await get('/api/threads/same%20moment'), '/activeRunId')).toBeNull();
    expect(service().done).toEqual([fresh.status === 201 ? 'fresh' : 'hi']);
  });
});

describe('threads of tenants', () => {
  test('threads of the same name in two tenants are separate', async () => {
    const ours = await started({ threadId: 'shared', say: 'ours', graph: asking });
    expect(await stack().as('otherTenantUser').get('/api/threads/shared')).toMatchObject(
      aProblem(404, 'UNKNOWN_THREAD'),
    );
    const { status, body } = await start({ threadId: 'shared', say: 'theirs', as: 'otherTenantUser' });
    expect(status).toBe(201);
    const theirs = textAt(body, '/id');
    await stack().as('otherTenantUser').untilRun(theirs, hasStatus('completed'));
    expect(await get('/api/threads/shared')).toMatchObject({ activeRunId: ours, lastRunId: ours });
    const seen = await stack().as('otherTenantUser').get('/api/threads/shared/state');
    expect(seen.body).toMatchObject({ values: { log: ['theirs'], say: 'theirs' } });
    const runs = await readAll(stack().as('otherTenantUser'), '/api/threads/shared/runs');
    expect(runs.map((run) => at(run, '/id'))).toEqual([theirs]);
  });

  test.each(['', '/state', '/checkpoints', '/runs'])(
    'GET of an unknown thread with the path suffix "%s" answers with status 404',
    async (what) => {
      expect(await user().get(`/api/threads/nobody${what}`)).toMatchObject(aProblem(404, 'UNKNOWN_THREAD'));
    },
  );
});

describe('the lists of a thread', () => {
  async function startThree(threadId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const say of ['1', '2', '3']) ids.push(await started({ threadId, say }));
    return ids;
  }

  test.each([1, 2, 50])('a thread lists its runs newest first in pages of %i', async (limit) => {
    const ids = await startThree(`runs ${limit}`);
    const runs = await readAll(user(), `/api/threads/runs%20${limit}/runs`, limit);
    expect(runs.map((run) => at(run, '/id'))).toEqual(ids.toReversed());
    const filtered = await readAll(user(), `/api/runs?threadId=runs%20${limit}`, limit);
    expect(filtered).toEqual(runs);
  });

  test.each([1, 4, 50])('a thread lists the checkpoints of all its runs in pages of %i', async (limit) => {
    const ids = await startThree(`checkpoints ${limit}`);
    const path = `/api/threads/checkpoints%20${limit}/checkpoints`;
    const items = await readAll(user(), path, limit);
    expect(items.map((item) => at(item, '/runId'))).toEqual(ids.toReversed().flatMap((id) => [id, id]));
    expect(items.map((item) => at(item, '/values/log'))).toEqual([
      ['1', '2', '3'],
      ['1', '2'],
      ['1', '2'],
      ['1'],
      ['1'],
      [],
    ]);
  });

  test('the history of a run on a thread lists only the events of that run', async () => {
    const [, second = ''] = await startThree('history');
    const [first] = await eventsOf(user(), second);
    expect(first).toMatchObject({ seq: 1, type: 'run.started' });
  });
});
