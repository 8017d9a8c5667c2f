import { afterAll, beforeAll, expect, test } from 'vitest';
import { diffRuns } from '../../../../src/api/runs/diff-runs.ts';
import type { RunRecord } from '../../../../src/store/runs.ts';
import { AT, aBatch, aNewRun, writeTo } from '../../../support/builders/store-builders.ts';
import { openMemoryStore } from '../../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../../support/servers/memory-database.ts';

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(async () => await store.close());

/** A run with a number of supersteps. */
async function aRunOf(id: string, steps: number): Promise<RunRecord> {
  await store.runs.create(aNewRun({ id }));
  const started = { at: AT, type: 'step.started', nodes: ['a'] } as const;
  const events = Array.from({ length: steps }, (_, step) => ({ ...started, seq: step + 1, step }));
  await writeTo(store, { id }, { ...aBatch([]), events });
  const run = await store.runs.find(id);
  if (!run) throw new Error(`${id} is not stored`);
  return run;
}

test('a comparison of runs contains the first 10,000 supersteps, and reports that there are more', async () => {
  const { left, right } = await diffRuns({ store }, await aRunOf('R1', 10_000), await aRunOf('R2', 10_001));
  expect([left.isComplete, left.path.length]).toEqual([true, 10_000]);
  expect([right.isComplete, right.path.length]).toEqual([false, 10_000]);
});
