import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { AT, LATER, aNewRun, aView, endRun } from '../../support/builders/store-builders.ts';
import { openMemoryDatabase } from '../../support/servers/memory-database.ts';

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore(await openMemoryDatabase());
});
afterAll(async () => await store.close());

test('a late completion does not complete the dispatch of the run’s next execution', async () => {
  await store.runs.create(aNewRun({ id: 'H' }));
  await store.pendingStarts.claim('H', AT, LATER); // the first execution: dispatched, not completed yet
  await endRun(store, { id: 'H' }); // it ends and is reopened; its second execution is not dispatched
  await store.endedRuns.reopen('H', { lastSeq: 1, reopening: {}, view: aView(), at: AT });
  await store.pendingStarts.complete({ id: 'H', execution: 1 }, AT); // of the first execution
  expect(await store.pendingStarts.due(LATER, 1_000)).toContain('H');
});
