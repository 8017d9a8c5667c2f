import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Retention } from '../../src/store/retention.ts';
import { openEmbeddedStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import { AT, LATER, aBatch, aCheckpoint, aNewRun, aView, endRun, writeTo } from '../support/store-builders.ts';

/*
 * What outlives its time is forgotten, and nothing else. Every run here ended at AT, or has not ended.
 */

const BATCH = 100;
const NOTHING = { runs: 0, events: 0, checkpoints: 0, approvals: 0, ledger: 0, blobs: 0 };
const older = (over: Partial<Retention>): Retention => ({
  runsBefore: null,
  checkpointsBefore: null,
  toWorkflowId,
  ...over,
});

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore(new PGlite());
});
afterAll(async () => await store.close());

/** A run with three checkpoints, a call and a blob, that has ended. */
async function anEndedRun(id: string, threadId: string | null = null): Promise<void> {
  await store.runs.create(aNewRun({ id, threadId }));
  await writeTo(store, { id }, aBatch([1, 2, 3], { checkpoints: [1, 2, 3].map((n) => aCheckpoint(id, n)) }));
  const call = { key: `${id}:a`, tenantId: 'acme', runId: id, node: 'a', called: 'tool:a', requestHash: 'h' };
  await store.ledger.claim({ ...call, order: 0, claim: 'c', scheduledAt: 1, at: AT, journal: null }, () => ({
    takeOver: true,
    failures: 0,
  }));
  const blob = { id: `${id}-blob`, workflowId: `run:acme:${id}`, metadata: {}, data: new Uint8Array([1]) };
  await store.blobs.put([blob]);
  await endRun(store, { id }, 4);
}

test('a run that ended long ago is counted, then forgotten with all that belongs to it', async () => {
  await anEndedRun('R-old');
  const retention = older({ runsBefore: LATER });
  const whole = { ...NOTHING, runs: 1, events: 4, checkpoints: 3, ledger: 1, blobs: 1 };
  expect(await store.retention.count(retention)).toEqual(whole);
  expect(await store.runs.find('R-old')).not.toBeNull();
  expect(await store.retention.prune(retention, BATCH)).toEqual(whole);
  expect(await store.runs.find('R-old')).toBeNull();
  expect(await store.journal.events('R-old', 0, 9)).toEqual([]);
  expect(await store.checkpoints.at('R-old', null)).toBeNull();
  await expect(store.blobs.get(['R-old-blob'])).rejects.toThrow(RangeError);
  expect(await store.retention.prune(retention, BATCH)).toEqual(NOTHING);
});

test('blobs of no run go when they are as old as a run that goes, and are counted before', async () => {
  await store.runs.create(aNewRun({ id: 'R-owner' }));
  const data = new Uint8Array([1]);
  const blobs = ['R-owner', 'R-nobody'].map((run) => ({
    id: `${run}/1`,
    workflowId: `run:acme:${run}`,
    metadata: {},
    data,
  }));
  await store.blobs.put(blobs);
  const young = older({ runsBefore: AT });
  const old = older({ runsBefore: '2999-01-01T00:00:00Z' });
  expect(await store.retention.count(young)).toEqual(NOTHING);
  expect(await store.retention.prune(young, BATCH)).toEqual(NOTHING);
  expect(await store.retention.count(old)).toEqual({ ...NOTHING, blobs: 1 });
  expect(await store.retention.prune(old, BATCH)).toEqual({ ...NOTHING, blobs: 1 });
  expect(await store.blobs.get(['R-owner/1'])).toHaveLength(1);
  await expect(store.blobs.get(['R-nobody/1'])).rejects.toThrow(RangeError);
});

test('a run that has not ended stays, and so does one that ended since', async () => {
  await store.runs.create(aNewRun({ id: 'R-runs' }));
  await writeTo(store, { id: 'R-runs' }, aBatch([1], { view: aView() }));
  await anEndedRun('R-young');
  expect(await store.retention.prune(older({ runsBefore: AT }), BATCH)).toEqual(NOTHING);
  expect(await store.runs.find('R-runs')).not.toBeNull();
  expect(await store.runs.find('R-young')).not.toBeNull();
  await store.retention.prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.runs.find('R-runs')).not.toBeNull();
  expect(await store.runs.find('R-young')).toBeNull();
});

test('of an older run only the last state stays, and can still be read and gone on with', async () => {
  await anEndedRun('R-states');
  const retention = older({ checkpointsBefore: LATER });
  expect(await store.retention.count(retention)).toEqual({ ...NOTHING, checkpoints: 2 });
  const before = await store.checkpoints.at('R-states', null);
  expect(await store.retention.prune(retention, BATCH)).toEqual({ ...NOTHING, checkpoints: 2 });
  expect(await store.checkpoints.at('R-states', null)).toEqual(before);
  expect(await store.checkpoints.at('R-states', 'R-states.c1')).toBeNull();
  expect(await store.endings.find('R-states')).not.toBeNull();
  expect(await store.retention.prune(retention, BATCH)).toEqual(NOTHING);
  await store.retention.prune(older({ runsBefore: LATER }), BATCH);
});

test('a thread is forgotten with its last run', async () => {
  await anEndedRun('R-talk', 'talk');
  await store.retention.prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.threads.find('acme', 'talk')).toBeNull();
});

test('a run stays whose successor has not begun', async () => {
  await anEndedRun('R-first', 'chain');
  await store.runs.create(aNewRun({ id: 'R-second', threadId: 'chain' }));
  await store.retention.prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.runs.find('R-first')).not.toBeNull();
});

test('definitions go with the last run that executes them, unless they are published', async () => {
  const graph = { name: 'once', version: null, hash: 'h2' };
  await store.runs.create(aNewRun({ id: 'R-once', graph, definition: { name: 'once' } }));
  expect(await store.graphs.definition('h2')).toEqual({ name: 'once' });
  await endRun(store, { id: 'R-once' });
  await store.retention.prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.graphs.definition('h2')).toBeNull();
});
