import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { MAX_PAGE_BYTES } from '../../../src/store/page.ts';
import { AT, aBatch, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { openMemoryStore } from '../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../support/servers/memory-database.ts';

const LARGE = MAX_PAGE_BYTES / 4;

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
  await store.runs.create(aNewRun({ id: 'R' }));
  for (let seq = 1; seq <= 9; seq++) {
    const call = { seq, at: AT, step: 0, node: 'a', visit: 1, tool: 't', idempotencyKey: `k${seq}`, attempts: 1 };
    const called = { ...call, type: 'tool.called' as const, durationMs: 1, result: 'x'.repeat(LARGE) };
    const started = { seq, at: AT, step: 0, type: 'step.started' as const, nodes: ['a'] };
    await writeTo(store, { id: 'R' }, { ...aBatch([]), events: [seq % 3 === 0 ? started : called] });
  }
});
afterAll(async () => await store.close());

/** The numbers of the calls after an event, up to a limit. */
async function callsAfter(after: number, { upTo = 9, most = 9 } = {}): Promise<readonly number[]> {
  const seen: number[] = [];
  for await (const { seq } of store.journal.ofTypes('R', ['tool.called'], { after, upTo })) {
    seen.push(seq);
    if (seen.length === most) break;
  }
  return seen;
}

test('events of a run by type are found in order within a range, across pages', async () => {
  expect(await callsAfter(0)).toEqual([1, 2, 4, 5, 7, 8]);
  expect(await callsAfter(1, { upTo: 7 })).toEqual([2, 4, 5, 7]);
  expect(await callsAfter(8)).toEqual([]);
});

test('a search for events of a type reads one page at most, with events of that type only', async () => {
  const query = vi.spyOn(store.database, 'query');
  onTestFinished(() => query.mockRestore());
  expect(await callsAfter(0, { most: 3 })).toEqual([1, 2, 4]);
  const answers = await Promise.all(query.mock.results.map(async ({ value }): Promise<unknown> => await value));
  expect(answers).toHaveLength(1);
  expect(JSON.stringify(answers).length).toBeLessThan(MAX_PAGE_BYTES * 1.01);
});

test('the last event of a type is found in a run’s journal', async () => {
  expect(await store.journal.lastOfType('R', 'step.started')).toMatchObject({ seq: 9, type: 'step.started' });
  expect(await store.journal.lastOfType('R', 'run.paused')).toBeNull();
});
