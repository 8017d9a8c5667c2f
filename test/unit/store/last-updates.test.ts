import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/graph/journal/index.ts';
import { MAX_PAGE_BYTES } from '../../../src/store/page.ts';
import { AT, aBatch, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const LARGE = 'x'.repeat(MAX_PAGE_BYTES / 2);

/** Completions in order, each with its number as its update. */
async function aRunOf(id: string, completions: readonly object[]): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  for (const [at, completion] of completions.entries()) {
    const seq = at + 1;
    const told = { seq, at: AT, step: 0, visit: 1, node: 'a', type: 'node.completed', update: { seq }, ...completion };
    await writeTo(store, { id }, { ...aBatch([]), events: [told as RunEvent] });
  }
}

test.each([
  ['the last one of its node', [{}, {}, { node: 'b' }], [{ node: 'a' }, { node: 'b' }], [2, 3]],
  [
    'that of its element',
    [{ index: 0 }, { index: 1 }, {}],
    [
      { node: 'a', index: 1 },
      { node: 'a', index: 0 },
    ],
    [2, 1],
  ],
  ['that of the graph itself', [{}, { path: ['outer'] }], [{ node: 'a' }], [1]],
  ['what a person has said', [{}, { type: 'node.skipped', by: 'ann' }], [{ node: 'a' }], [2]],
  ['none that is not stored', [{ node: 'b' }], [{ node: 'a' }, { node: 'b' }], [null, 1]],
  ['of nothing', [{}], [], []],
])('the update of a completed task is %s', async (name, completions, tasks, expected) => {
  await aRunOf(`R-${name}`, completions);
  const updates = await store.journal.lastUpdates(`R-${name}`, tasks);
  expect(updates.map((update) => update?.['seq'] ?? null)).toEqual(expected);
});

test('updates are found over pages', async () => {
  await aRunOf(
    'R-large',
    ['a', 'b', 'c'].map((node) => ({ node, update: { node, large: LARGE } })),
  );
  const updates = await store.journal.lastUpdates('R-large', [{ node: 'a' }, { node: 'c' }]);
  expect(updates.map((update) => update?.['node'])).toEqual(['a', 'c']);
});
