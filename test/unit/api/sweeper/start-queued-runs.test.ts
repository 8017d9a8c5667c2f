import { expect, test } from 'vitest';
import { createQueueStarter } from '../../../../src/api/sweeper/start-queued-runs.ts';
import type { Engine } from '../../../../src/api/temporal/engine.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { LATER, aBatch, aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';

const store = await useMemoryStore();
const engine = (send: Engine['send']): Engine => anAbsentEngine({ start: async () => undefined, send });
const logger = createLogger('silent');
const graphJobs = graphJobsHere(aCatalog());
const startQueuedRuns = createQueueStarter();

test('a queued run is started even if many others wait behind running ones', async () => {
  for (let n = 0; n <= 100; n++) {
    const threadId = `t${String(n).padStart(3, '0')}`;
    await store.runs.create(aNewRun({ id: `${threadId} active`, threadId }));
    await store.runs.create(aNewRun({ id: `${threadId} queued`, threadId, onBusy: 'enqueue' }));
  }
  await endRun(store, { id: 't100 active' });
  await startQueuedRuns({ store, engine: engine(async () => false), graphJobs, logger });
  expect((await store.runs.find('t100 queued'))?.dispatch.kind).toBe('pending');
});

test('an interruption is repeated until the interrupted run has started in Temporal', async () => {
  await store.runs.create(aNewRun({ id: 'I-1', tenantId: 'aaa', threadId: 'i' }));
  await store.runs.create(aNewRun({ id: 'I-2', tenantId: 'aaa', threadId: 'i', onBusy: 'interrupt' }));
  await startQueuedRuns({ store, engine: engine(async () => false), graphJobs, logger }); // `false`: there is no such workflow (yet)
  expect(await store.threads.queueHeads(1)).toMatchObject([
    { runId: 'I-2', activeRunId: 'I-1', interruption: { runId: 'I-2' } },
  ]);
});

test('a queued run that does not answer does not delay other threads', async () => {
  await store.runs.create(aNewRun({ id: 'O-1', tenantId: '000', threadId: 'i' }));
  await store.runs.create(aNewRun({ id: 'O-2', tenantId: '000', threadId: 'i', onBusy: 'interrupt' }));
  await store.runs.create(aNewRun({ id: 'O-3', tenantId: '001', threadId: 'i' }));
  await store.runs.create(aNewRun({ id: 'O-4', tenantId: '001', threadId: 'i', onBusy: 'enqueue' }));
  await endRun(store, { id: 'O-3', tenantId: '001' });
  await startQueuedRuns({
    store,
    engine: engine(async () => {
      throw new Error('503');
    }),
    graphJobs,
    logger,
  }).catch(() => undefined);
  expect((await store.runs.find('O-4'))?.dispatch.kind).toBe('pending');
});

test('a run that is being interrupted for a queued run gets no second interruption', async () => {
  const thread = { tenantId: '002', threadId: 'i' };
  await store.runs.create(aNewRun({ id: 'T-1', ...thread }));
  for (const id of ['T-2', 'T-3']) await store.runs.create(aNewRun({ id, ...thread, onBusy: 'interrupt' }));
  const interrupted: string[] = [];
  const deps = {
    store,
    engine: engine(async ({ tenantId, id }) => {
      if (tenantId === thread.tenantId) interrupted.push(id);
      return true;
    }),
    graphJobs,
    logger,
  };
  const start = createQueueStarter();
  await start(deps);
  await start(deps);
  expect(interrupted).toEqual(['T-1']);
  await endRun(store, { id: 'T-1', tenantId: thread.tenantId });
  await start(deps);
  await start(deps);
  expect(interrupted).toEqual(['T-1', 'T-2']);
});

test('after a queued run is canceled, a later queued run can interrupt the thread again', async () => {
  const thread = { tenantId: '003', threadId: 'i' };
  await store.runs.create(aNewRun({ id: 'F-1', ...thread }));
  await store.runs.create(aNewRun({ id: 'F-2', ...thread, onBusy: 'interrupt' }));
  const interrupted: string[] = [];
  const send: Engine['send'] = async ({ tenantId }, _signal, { signalId }) => {
    if (tenantId === thread.tenantId) interrupted.push(signalId);
    return true;
  };
  const deps = { store, engine: engine(send), graphJobs, logger };
  const start = createQueueStarter();
  await start(deps);
  await store.threads.cancelQueued({ id: 'F-2', tenantId: thread.tenantId }, aBatch([1]));
  await start(deps);
  await store.runs.create(aNewRun({ id: 'F-3', ...thread, onBusy: 'interrupt' }));
  await start(deps);
  expect(interrupted).toEqual(['F-2.interrupt', 'F-3.interrupt']);
});

test('slow runs of one tenant do not delay the thread queues of other tenants', async () => {
  for (let n = 0; n <= 100; n++) {
    const thread = { tenantId: 'slow', threadId: `s${n}` };
    await store.runs.create(aNewRun({ id: `S-${n}`, ...thread }));
    await store.runs.create(aNewRun({ id: `S-${n} queued`, ...thread, onBusy: 'interrupt' }));
  }
  const quick = { tenantId: 'quick', threadId: 'q', createdAt: LATER };
  await store.runs.create(aNewRun({ id: 'Q-1', ...quick }));
  await store.runs.create(aNewRun({ id: 'Q-2', ...quick, onBusy: 'enqueue' }));
  await endRun(store, { id: 'Q-1', tenantId: 'quick' });
  const interrupting = { tenantId: 'other', threadId: 'o', createdAt: LATER };
  await store.runs.create(aNewRun({ id: 'P-1', ...interrupting }));
  await store.runs.create(aNewRun({ id: 'P-2', ...interrupting, onBusy: 'interrupt' }));
  const interrupted = new Set<string>();
  const send: Engine['send'] = async ({ id }) => {
    interrupted.add(id);
    return true;
  };
  const deps = { store, engine: engine(send), graphJobs, logger };
  const start = createQueueStarter();
  await start(deps);
  expect((await store.runs.find('Q-2'))?.dispatch.kind).toBe('pending');
  expect(interrupted).toContain('P-1');
  await start(deps);
  expect([...interrupted].filter((id) => id.startsWith('S-'))).toHaveLength(101);
});
