import { expect, test, vi } from 'vitest';
import { readClosedApprovals } from '../../../../src/api/runs/start-fork.ts';
import type { Approval } from '../../../../src/graph/run/approval.ts';
import { aBatch, aNewRun, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

/** A run with a number of approvals, each requested a second later; the first one is pending. */
async function asked(id: string, times: number) {
  const run = { id, tenantId: 'demo' };
  await store.runs.create(aNewRun(run));
  const statusOf = (at: number): Approval['status'] => (at === 0 ? 'pending' : 'rejected');
  const approvals = Array.from({ length: times }, (_, at) => ({
    ...anApproval(id, statusOf(at)),
    id: `${id}.a${at}`,
    requestedAt: new Date(at * 1_000).toISOString(),
  }));
  await writeTo(store, run, aBatch([1], { approvals }));
  return run;
}

test('all closed approvals of a run are read, page by page', async () => {
  const run = await asked('asking', 120);
  const pages = vi.spyOn(store.approvals, 'list');
  const closed = await readClosedApprovals(store, run);
  const sizes = await Promise.all(pages.mock.results.map(async ({ value }) => (await value).items.length));
  pages.mockRestore();
  expect([sizes, closed.length]).toEqual([[50, 50, 20], 119]);
  expect(new Set(closed.map(({ id }) => id)).has('asking.a0')).toBe(false);
});

test('the 200 latest closed approvals of a run are read for a fork', async () => {
  const closed = await readClosedApprovals(store, await asked('looping', 320));
  const ids = closed.map(({ id }) => id);
  expect(ids).toHaveLength(200);
  expect([ids.includes('looping.a319'), ids.includes('looping.a120'), ids.includes('looping.a119')]).toEqual([
    true,
    true,
    false,
  ]);
});
