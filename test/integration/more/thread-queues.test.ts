import { describe, expect, test } from 'vitest';
import type { ApiAnswer } from '../../support/readers/api-client.ts';
import { eventsOf, hasStatus, readAll } from '../../support/readers/api-runs.ts';
import { aJob, patchState } from '../../support/readers/api-states.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

const { stack, service, user, get, control, until } = useWorkingStack(startTestStack);

/** Executes the input `say` as a job and logs it. */
const saying = aDefinition({
  channels: { log: { reducer: 'append' }, say: {} },
  output: ['log'],
  nodes: { only: aJob('{{ state.say }}') },
});
const asking = {
  ...saying,
  nodes: { ask: { type: 'approval', title: 'Go on?' }, ...saying.nodes },
  edges: [
    { from: '__start__', to: 'ask' },
    { from: 'ask', to: 'only' },
  ],
} as const;

const start = async (threadId: string, onBusy: string, { say, graph = saying }: { say: string; graph?: object }) =>
  await user().post('/api/runs', { graph, input: { say }, threadId, onBusy });
const approve = async (id: string) => await stack().as('approver').post(`/api/runs/${id}/approve`, {});
const idOf = ({ status, body }: ApiAnswer): string => {
  expect({ status, detail: at(body, '/detail') }).toEqual({ status: 201, detail: undefined });
  return textAt(body, '/id');
};

/** Starts a run that waits for a person and so occupies its thread. */
async function occupy(threadId: string): Promise<string> {
  const id = idOf(await start(threadId, 'reject', { say: 'first', graph: asking }));
  await until(id, 'waiting');
  return id;
}

const TEN = Array.from({ length: 10 }, (_, n) => `job ${n}`);
/** Enough time for ten consecutive runs. */
const PATIENCE_MS = 300_000;
const TIME = PATIENCE_MS + 60_000;
const CANCELED = Array.from({ length: 9 }, () => 'canceled');

describe('ten runs at once on one thread', () => {
  test('of ten concurrent runs on one thread with onBusy reject one starts, and the others are refused', async () => {
    const answers = await Promise.all(TEN.map((say) => start('ten reject', 'reject', { say, graph: asking })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 201))
      expect(refused).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    expect(await readAll(user(), '/api/threads/ten%20reject/runs')).toHaveLength(1);
  });

  test(
    'ten concurrent runs on one thread with onBusy enqueue execute one after the other on the accumulated state',
    async () => {
      const answers = await Promise.all(TEN.map((say) => start('ten enqueue', 'enqueue', { say })));
      const runs = await Promise.all(
        answers.map(async (answer) => await user().untilRun(idOf(answer), hasStatus('completed'), PATIENCE_MS)),
      );
      const ordered = runs.toSorted((a, b) => textAt(a, '/startedAt').localeCompare(textAt(b, '/startedAt')));
      expect(ordered.map((run) => at(run, '/output/log'))).toEqual(TEN.map((_, n) => service().done.slice(0, n + 1)));
      const ends = ['', ...ordered.map((run) => textAt(run, '/endedAt'))];
      expect(ordered.filter((run, n) => textAt(run, '/startedAt') < (ends[n] ?? ''))).toEqual([]);
      expect(service().done.toSorted()).toEqual(TEN);
      expect(await get('/api/threads/ten%20enqueue')).toMatchObject({ activeRunId: null, queued: [] });
    },
    TIME,
  );

  test(
    'of ten concurrent runs on one thread with onBusy interrupt all but the last are canceled',
    async () => {
      const answers = await Promise.all(TEN.map((say) => start('ten interrupt', 'interrupt', { say, graph: asking })));
      const ids = answers.map(idOf);
      const statuses = async () =>
        await Promise.all(ids.map(async (id) => textAt(await get(`/api/runs/${id}`), '/status')));
      const canceled = async () => (await statuses()).filter((status) => status === 'canceled').length;
      for (let ended = 1; ended < TEN.length; ended += 1) await expect.poll(canceled).toBeGreaterThanOrEqual(ended);
      await expect.poll(async () => (await statuses()).toSorted()).toEqual([...CANCELED, 'waiting']);
    },
    TIME,
  );
});

describe('a queued run', () => {
  test('a queued run is reported as queued, with its position in the queue', async () => {
    const first = await occupy('shown');
    const second = await start('shown', 'enqueue', { say: 'second' });
    expect(second).toMatchObject({ status: 201, body: { status: 'queued', threadId: 'shown', startedAt: null } });
    const third = await start('shown', 'enqueue', { say: 'third' });
    expect(await get('/api/threads/shown')).toMatchObject({
      activeRunId: first,
      lastRunId: first,
      queued: [idOf(second), idOf(third)],
    });
    expect(await get('/api/runs?status=queued&threadId=shown')).toMatchObject({
      items: [{ id: idOf(third) }, { id: idOf(second) }],
    });
  });

  test('a queued run begins in queue order when the previous run has ended', async () => {
    const first = await occupy('order');
    const ids: string[] = [];
    for (const say of ['second', 'third', 'fourth']) ids.push(idOf(await start('order', 'enqueue', { say })));
    await approve(first);
    for (const id of ids) await until(id, 'completed');
    expect(service().done).toEqual(['first', 'second', 'third', 'fourth']);
    expect(at(await get('/api/threads/order/state'), '/values/log')).toEqual(service().done);
  });

  test.each(['cancel', 'fail'])('a queued run begins when the previous run ends by the control %s', async (how) => {
    const threadId = `otherwise ${how}`;
    if (how === 'fail') service().refuse('first');
    const first = await occupy(threadId);
    const second = idOf(await start(threadId, 'enqueue', { say: 'second' }));
    await (how === 'fail' ? approve(first) : control(first, 'cancel'));
    expect(await until(second, 'completed')).toMatchObject({ output: { log: ['second'] } });
  });

  test('a queued run is not overtaken by a later run, even if that run requests not to wait', async () => {
    const first = await occupy('past');
    const second = idOf(await start('past', 'enqueue', { say: 'second' }));
    expect(await start('past', 'reject', { say: 'third' })).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    await approve(first);
    await until(second, 'completed');
    expect(service().done).toEqual(['first', 'second']);
  });

  test('a canceled queued run never begins, and the next queued run does', async () => {
    const first = await occupy('left');
    const [second, third] = [
      idOf(await start('left', 'enqueue', { say: 'second' })),
      idOf(await start('left', 'enqueue', { say: 'third' })),
    ];
    expect(await control(second, 'cancel', { reason: 'not needed' })).toMatchObject({ status: 202 });
    const canceled = await get(`/api/runs/${second}`);
    expect(canceled).toMatchObject({ status: 'canceled', startedAt: null, endedAt: expect.stringMatching(/Z$/) });
    expect(await eventsOf(user(), second)).toEqual([
      { seq: 1, step: -1, type: 'run.canceled', by: 'uma', reason: 'not needed', at: expect.stringMatching(/Z$/) },
    ]);
    await approve(first);
    expect(await until(third, 'completed')).toMatchObject({ output: { log: ['first', 'third'] } });
    expect(await get(`/api/runs/${second}`)).toEqual(canceled);
    expect(service().done).toEqual(['first', 'third']);
  });

  test('a canceled queued run refuses every control', async () => {
    await occupy('no more');
    const id = idOf(await start('no more', 'enqueue', { say: 'second' }));
    await control(id, 'cancel');
    for (const name of ['cancel', 'retry', 'resume'])
      expect(await control(id, name)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test.each([
    ['pause', {}],
    ['resume', {}],
    ['retry', {}],
    ['skip', { output: 1 }],
    ['fail', {}],
    ['replan', { node: 'only' }],
  ])('a queued run refuses the control %s', async (name, body) => {
    await occupy(`told ${name}`);
    const id = idOf(await start(`told ${name}`, 'enqueue', { say: 'second' }));
    expect(await control(id, name, body)).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    expect(await get(`/api/runs/${id}`)).toMatchObject({ status: 'queued' });
  });

  test('a queued run stores external events until it begins, each once, in order', async () => {
    const first = await occupy('early');
    const nodes = {
      one: { type: 'wait', event: 'go', write: 'say' },
      two: { type: 'wait', event: 'go', write: 'log' },
    };
    const edges = [
      { from: '__start__', to: 'one' },
      { from: 'one', to: 'two' },
    ];
    const id = idOf(await start('early', 'enqueue', { say: 'x', graph: { ...saying, output: [], nodes, edges } }));
    const signal = async (payload: string, key: string) =>
      await user().post(`/api/runs/${id}/signal`, { event: 'go', payload }, { 'idempotency-key': key });
    expect(await signal('1', 'early 1')).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(await signal('1', 'early 1')).toMatchObject({ status: 202 });
    expect(await signal('2', 'early 2')).toMatchObject({ status: 202 });
    await approve(first);
    expect(at(await until(id, 'completed'), '/output')).toEqual({});
    expect(at(await get(`/api/runs/${id}/state`), '/values')).toEqual({ say: '1', log: ['first', '2'] });
    expect(await eventsOf(user(), id, 'signal.received')).toMatchObject([{ by: 'uma' }, { by: 'uma' }]);
  });

  test('a queued run has no state that can be edited', async () => {
    await occupy('correct');
    const id = idOf(await start('correct', 'enqueue', { say: 'second' }));
    expect(await patchState(user(), id, { values: { log: 'x' } })).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  });

  test('a queued run is queued once under one Idempotency-Key', async () => {
    await occupy('once');
    const body = { graph: saying, input: { say: 'second' }, threadId: 'once', onBusy: 'enqueue' };
    const once = async () => await user().post('/api/runs', body, { 'idempotency-key': 'queued once' });
    const [first, second] = [await once(), await once()];
    expect(idOf(second)).toBe(idOf(first));
    expect(listAt(await get('/api/threads/once'), '/queued')).toEqual([idOf(first)]);
  });

  test('a queued run keeps an ended run of its thread from being reopened', async () => {
    service().refuse('first');
    const first = await occupy('ended');
    const second = idOf(await start('ended', 'enqueue', { say: 'second', graph: asking }));
    await approve(first);
    await until(first, 'failed');
    expect(await control(first, 'retry')).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    await until(second, 'waiting');
  });
});

describe('an interrupting run', () => {
  test.each(['waiting', 'paused', 'calling'])(
    'an interrupting run cancels the run of its thread that is %s, and continues from its state',
    async (status) => {
      const threadId = `interrupt ${status}`;
      await until(idOf(await start(threadId, 'reject', { say: 'before' })), 'completed');
      const held = service().hold('first');
      const active = await occupy(threadId);
      if (status === 'paused') await control(active, 'pause');
      if (status === 'calling') await approve(active);
      const release = status === 'calling' ? await held : () => undefined;
      const interrupting = idOf(await start(threadId, 'interrupt', { say: 'interrupting' }));
      expect(await until(active, 'canceled')).toMatchObject({ output: null });
      const [canceled] = await eventsOf(user(), active, 'run.canceled');
      expect(canceled).toMatchObject({ reason: expect.stringContaining(interrupting) });
      expect(await until(interrupting, 'completed')).toMatchObject({ output: { log: ['before', 'interrupting'] } });
      release();
    },
  );

  test('an interrupting run begins at once on a free thread', async () => {
    expect(await until(idOf(await start('interrupt free', 'interrupt', { say: 'only' })), 'completed')).toMatchObject({
      output: { log: ['only'] },
    });
  });

  test('an interrupting run needs the permission to control runs', async () => {
    await occupy('interrupt permission');
    const body = { graph: saying, input: {}, threadId: 'interrupt permission', onBusy: 'interrupt' };
    expect(await stack().as('approver').post('/api/runs', body)).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });
});
