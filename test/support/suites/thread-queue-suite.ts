import { describe, expect, test } from 'vitest';
import type { Reopening } from '../../../src/store/ended-runs.ts';
import type { NewRun } from '../../../src/store/accept-run.ts';
import type { Store } from '../../../src/store/store.ts';
import type { QueueHead } from '../../../src/store/threads.ts';
import { AT, LATER, aBatch, aNewRun, aView, endRun, writeTo } from '../builders/store-builders.ts';
import { NOTHING_REDACTED } from '../../../src/graph/redaction/redaction.ts';

/**
 * Requirements on a store for runs that queue on threads, end and are reopened.
 * @param store one that contains the definition `h1`
 */
export function threadQueueSuite(store: () => Store): void {
  describe('the queue of a thread', () => {
    queues(store);
  });
  describe('runs that are reopened', () => {
    reopenings(store);
  });
}

const TEN = Array.from({ length: 10 }, (_, n) => n);

/** A run on a tenant's thread `t`. */
const onThread = (id: string, over: Partial<NewRun> = {}): NewRun =>
  aNewRun({ id, tenantId: id.split('-')[0] ?? id, threadId: 't', ...over });

/** The head of the queue of a tenant's thread `t`. */
const aHead = (runId: string): QueueHead => ({
  runId,
  tenantId: runId.split('-')[0] ?? runId,
  threadId: 't',
  activeRunId: null,
  interruption: null,
});

function queues(store: () => Store): void {
  const create = async (id: string, onBusy: NewRun['onBusy'] = 'reject', createdAt = AT) =>
    await store().runs.create(onThread(id, { onBusy, createdAt }));
  const headOf = async (tenantId: string): Promise<QueueHead | undefined> =>
    (await store().threads.queueHeads(1_000)).find((head) => head.tenantId === tenantId);
  const queuedOf = async (tenantId: string) => (await store().threads.find(tenantId, 't'))?.queued;

  test('the queue of a thread activates the first run at once and lets others wait', async () => {
    expect(await create('first-1')).toBe('accepted');
    expect(await create('first-2')).toBe('busy');
    expect(await create('first-3', 'enqueue')).toBe('accepted');
    expect(await store().threads.find('first', 't')).toMatchObject({ activeRunId: 'first-1', queued: ['first-3'] });
    expect(await store().runs.find('first-2')).toBeNull();
    expect((await store().runs.find('first-3'))?.dispatch).toEqual({ kind: 'queued' });
  });

  test('the queue of a thread activates one of many concurrent runs', async () => {
    const answers = await Promise.all(TEN.map((n) => create(`race-${n}`)));
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1);
    expect(await store().threads.runIds('race', 't')).toHaveLength(1);
  });

  test('the queue of a thread activates one of many concurrent runs, and keeps the others in order', async () => {
    await Promise.all(TEN.map((n) => create(`queue-${n}`, 'enqueue')));
    const thread = await store().threads.find('queue', 't');
    const rest = TEN.map((n) => `queue-${n}`).filter((id) => id !== thread?.activeRunId);
    expect(thread?.queued).toEqual(rest);
  });

  test('the queue of a thread does not dispatch a queued run before it is dequeued', async () => {
    await create('claim-1');
    await create('claim-2', 'enqueue');
    expect(await store().pendingStarts.claim('claim-2', LATER, LATER)).toBeNull();
    expect(await store().pendingStarts.due(LATER, 1_000)).not.toContain('claim-2');
    await endRun(store(), { id: 'claim-1', tenantId: 'claim' });
    const head = await headOf('claim');
    expect(head && (await store().threads.dequeue(head, AT))).toBe(true);
    expect(await store().pendingStarts.due(LATER, 1_000)).toContain('claim-2');
    expect(await store().pendingStarts.claim('claim-2', LATER, LATER)).toMatchObject({ predecessorId: 'claim-1' });
  });

  test('the queue of a thread dequeues no run while another is active', async () => {
    await create('busy-1');
    await create('busy-2', 'enqueue');
    expect(await headOf('busy')).toBeUndefined();
    expect(await store().threads.dequeue(aHead('busy-2'), AT)).toBe(false);
    expect(await queuedOf('busy')).toEqual(['busy-2']);
  });

  test('the queue of a thread dequeues a run once in repeated attempts', async () => {
    await create('once-1');
    await create('once-2', 'enqueue');
    await endRun(store(), { id: 'once-1', tenantId: 'once' });
    const head = await headOf('once');
    if (!head) throw new Error('There is no queue');
    const dequeued = await Promise.all(TEN.map(() => store().threads.dequeue(head, AT)));
    expect(dequeued.filter(Boolean)).toHaveLength(1);
    expect(await store().threads.find('once', 't')).toMatchObject({ activeRunId: 'once-2', queued: [] });
  });

  test('the queue of a thread does not let a new run overtake queued ones', async () => {
    await create('ahead-1');
    await create('ahead-2', 'enqueue');
    await endRun(store(), { id: 'ahead-1', tenantId: 'ahead' });
    expect(await create('ahead-3')).toBe('busy');
    expect(await create('ahead-4', 'interrupt')).toBe('accepted');
    expect(await queuedOf('ahead')).toEqual(['ahead-2', 'ahead-4']);
  });

  test('the queue of a thread reports an interruption until the interrupted run has ended, and for no other run', async () => {
    await create('stop-1');
    await create('stop-2', 'enqueue');
    await create('stop-3', 'interrupt');
    const interruption = { runId: 'stop-3', by: 'ann' };
    expect(await headOf('stop')).toMatchObject({ activeRunId: 'stop-1', interruption });
    await endRun(store(), { id: 'stop-1', tenantId: 'stop' });
    expect(await store().threads.dequeue(aHead('stop-2'), AT)).toBe(true);
    expect(await headOf('stop')).toBeUndefined();
  });

  test('the queue of a thread lets each interrupting run end one run, also with others in between', async () => {
    await create('each-1');
    await create('each-3', 'interrupt');
    await create('each-2', 'interrupt');
    await endRun(store(), { id: 'each-1', tenantId: 'each' });
    expect(await store().threads.dequeue(aHead('each-2'), AT)).toBe(true);
    expect(await headOf('each')).toMatchObject({ activeRunId: 'each-2', interruption: { runId: 'each-3' } });
  });

  test('the queue of a thread never dequeues a run that has left it, and keeps a dequeued one active', async () => {
    await create('leave-1');
    await create('leave-2', 'enqueue');
    const canceled = aBatch([1], { view: aView({ status: 'canceled', endedAt: AT }) });
    const leave = async () => await store().threads.cancelQueued({ id: 'leave-2', tenantId: 'leave' }, canceled);
    expect([await leave(), await leave()]).toEqual([true, false]);
    await endRun(store(), { id: 'leave-1', tenantId: 'leave' });
    expect(await store().threads.dequeue(aHead('leave-2'), AT)).toBe(false);
    expect(await store().pendingStarts.claim('leave-2', LATER, LATER)).toBeNull();
    expect(await store().threads.find('leave', 't')).toMatchObject({ activeRunId: null, lastRunId: 'leave-1' });
  });

  test('the queue of a thread finds a run that is queued while the only other one leaves', async () => {
    await create('alone-1');
    await create('alone-2', 'enqueue');
    const canceled = aBatch([1], { view: aView({ status: 'canceled', endedAt: AT }) });
    const [left, queued] = await Promise.all([
      store().threads.cancelQueued({ id: 'alone-2', tenantId: 'alone' }, canceled),
      create('alone-3', 'enqueue'),
    ]);
    expect([left, queued]).toEqual([true, 'accepted']);
    await endRun(store(), { id: 'alone-1', tenantId: 'alone' });
    expect(await headOf('alone')).toMatchObject({ runId: 'alone-3' });
  });

  test('the queue of a thread gives a run that is dequeued and canceled at the same moment one of the two results', async () => {
    await create('either-1');
    await create('either-2', 'enqueue');
    await endRun(store(), { id: 'either-1', tenantId: 'either' });
    const head = await headOf('either');
    if (!head) throw new Error('There is no queue');
    const canceled = aBatch([1], { view: aView({ status: 'canceled', endedAt: AT }) });
    const both = await Promise.all([
      store().threads.dequeue(head, AT),
      store().threads.cancelQueued({ id: 'either-2', tenantId: 'either' }, canceled),
    ]);
    expect(both.filter(Boolean)).toHaveLength(1);
  });

  test('the queue of a thread dispatches the signals for a queued run with it, each once, in order', async () => {
    await create('told-1');
    await create('told-2', 'enqueue');
    const tell = async (id: string) =>
      await store().threads.queueSignal('told-2', { name: 'event', payload: { signalId: id } });
    expect([await tell('one'), await tell('two'), await tell('one')]).toEqual(['taken', 'taken', 'taken']);
    await endRun(store(), { id: 'told-1', tenantId: 'told' });
    expect(await store().threads.dequeue(aHead('told-2'), AT)).toBe(true);
    expect(await tell('three')).toBe('dequeued');
    const claimed = await store().pendingStarts.claim('told-2', LATER, LATER);
    expect(claimed?.queuedSignals.map(({ payload }) => payload.signalId)).toEqual(['one', 'two']);
  });

  test('the queue of a thread keeps a limited number of signals for a queued run', async () => {
    await create('full-1');
    await create('full-2', 'enqueue');
    const answers: string[] = [];
    for (let n = 0; n < 101; n += 1)
      answers.push(await store().threads.queueSignal('full-2', { name: 'event', payload: { signalId: `${n}` } }));
    expect([answers.filter((answer) => answer === 'taken').length, answers.at(-1)]).toEqual([100, 'full']);
  });

  test('the queue of a thread is not freed by the late end of another run', async () => {
    await create('late-1');
    await endRun(store(), { id: 'late-1', tenantId: 'late' });
    await create('late-2');
    await endRun(store(), { id: 'late-1', tenantId: 'late' });
    expect((await store().threads.find('late', 't'))?.activeRunId).toBe('late-2');
  });
}

function reopenings(store: () => Store): void {
  const reopening = (over: Partial<Reopening> = {}): Reopening => ({
    lastSeq: 1,
    reopening: { again: true },
    view: aView({ raisedLimits: { maxSteps: 7 } }),
    at: AT,
    ...over,
  });
  const reopen = async (id: string, over: Partial<Reopening> = {}) =>
    await store().endedRuns.reopen(id, reopening(over));

  test('reopened runs are found only after their end, with the input of their workflow', async () => {
    await store().runs.create(aNewRun({ id: 'G-find' }));
    expect(await store().endedRuns.find('G-find')).toBeNull();
    await endRun(store(), { id: 'G-find' });
    expect(await store().endedRuns.find('G-find')).toMatchObject({ start: { some: 'input' }, lastSeq: 1 });
    expect(await store().endedRuns.find('G-none')).toBeNull();
  });

  test('reopened runs are dispatched again as the next execution', async () => {
    await store().runs.create(aNewRun({ id: 'G-again' }));
    await endRun(store(), { id: 'G-again' });
    expect(await store().pendingStarts.claim('G-again', LATER, LATER)).toBeNull();
    expect(await reopen('G-again')).toBe('reopened');
    const run = await store().runs.find('G-again');
    expect(run).toMatchObject({
      status: 'running',
      limits: { maxSteps: 7 },
      dispatch: { kind: 'pending', problem: null },
    });
    expect(await store().pendingStarts.due(LATER, 1_000)).toContain('G-again');
    expect(await store().pendingStarts.claim('G-again', LATER, LATER)).toEqual({
      id: 'G-again',
      start: { some: 'input' },
      reopening: { again: true },
      predecessorId: null,
      execution: 2,
      queuedSignals: [],
      redaction: NOTHING_REDACTED,
    });
  });

  test('reopened runs are reopened by one of many concurrent requests', async () => {
    await store().runs.create(aNewRun({ id: 'G-race' }));
    await endRun(store(), { id: 'G-race' });
    const answers = await Promise.all(TEN.map(() => reopen('G-race')));
    expect(answers.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'changed'), 'reopened']);
  });

  test('reopened runs are dispatched by one of many concurrent processes', async () => {
    await store().runs.create(aNewRun({ id: 'G-hand' }));
    await endRun(store(), { id: 'G-hand' });
    await reopen('G-hand');
    const claims = await Promise.all(TEN.map(() => store().pendingStarts.claim('G-hand', AT, LATER)));
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  });

  test('reopened runs do not include runs with later events or open ones', async () => {
    await store().runs.create(aNewRun({ id: 'G-more' }));
    expect(await reopen('G-more')).toBe('changed');
    await endRun(store(), { id: 'G-more' }, 2);
    expect(await reopen('G-more')).toBe('changed');
    expect(await reopen('G-more', { lastSeq: 2 })).toBe('reopened');
  });

  test('reopened runs are not changed by late entries of their last execution', async () => {
    await store().runs.create(aNewRun({ id: 'G-late' }));
    await endRun(store(), { id: 'G-late' });
    await reopen('G-late');
    await endRun(store(), { id: 'G-late' });
    expect(await store().runs.find('G-late')).toMatchObject({
      status: 'running',
      dispatch: { kind: 'pending', problem: null },
    });
    expect(await store().endedRuns.find('G-late')).toBeNull();
  });

  test('reopened runs end again by a later event', async () => {
    await store().runs.create(aNewRun({ id: 'G-end' }));
    await endRun(store(), { id: 'G-end' });
    await reopen('G-end');
    await writeTo(store(), { id: 'G-end' }, aBatch([2]));
    expect(await store().endedRuns.find('G-end')).toBeNull();
    await endRun(store(), { id: 'G-end' }, 3);
    expect(await store().endedRuns.find('G-end')).toMatchObject({ start: { some: 'input' }, lastSeq: 3 });
    expect(await reopen('G-end', { lastSeq: 3 })).toBe('reopened');
    expect(await store().pendingStarts.claim('G-end', LATER, LATER)).toMatchObject({ execution: 3 });
  });

  test('reopened runs get their thread back unless it has a later run', async () => {
    await store().runs.create(onThread('back-1'));
    await endRun(store(), { id: 'back-1', tenantId: 'back' });
    expect(await reopen('back-1')).toBe('reopened');
    expect((await store().threads.find('back', 't'))?.activeRunId).toBe('back-1');
    await endRun(store(), { id: 'back-1', tenantId: 'back' }, 2);
    expect((await store().threads.find('back', 't'))?.activeRunId).toBeNull();
    await store().runs.create(onThread('back-2'));
    expect(await reopen('back-1', { lastSeq: 2 })).toBe('busy');
    await endRun(store(), { id: 'back-2', tenantId: 'back' });
    expect(await reopen('back-1', { lastSeq: 2 })).toBe('busy');
    expect((await store().runs.find('back-1'))?.status).toBe('failed');
  });

  test('reopened runs and concurrent new runs compete for the thread, and one of them gets it', async () => {
    await store().runs.create(onThread('moment-1'));
    await endRun(store(), { id: 'moment-1', tenantId: 'moment' });
    const [again, fresh] = await Promise.all([reopen('moment-1'), store().runs.create(onThread('moment-2'))]);
    expect([again === 'reopened', fresh === 'accepted'].filter(Boolean)).toHaveLength(1);
    const active = again === 'reopened' ? 'moment-1' : 'moment-2';
    expect((await store().threads.find('moment', 't'))?.activeRunId).toBe(active);
  });
}
