import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/graph/journal/index.ts';
import { MAX_PAGE_BYTES } from '../../../src/store/page.ts';
import { AT, aBatch, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const LARGE = 'x'.repeat(MAX_PAGE_BYTES / 2);

/** The fields of a completion that differ from the default, and the person if one has skipped the node. */
interface Given extends Partial<Pick<Completed, 'node' | 'index' | 'path' | 'step' | 'update'>> {
  readonly by?: string;
}

type Completed = RunEvent & { readonly type: 'node.completed' };

/** Writes completions in order, each with its number as its update. */
async function aRunOf(id: string, completions: readonly Given[]): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  for (const [at, { by, ...completion }] of completions.entries()) {
    const seq = at + 1;
    const told = { seq, at: AT, step: 0, visit: 1, node: 'a', update: { seq } };
    const event: RunEvent =
      by === undefined
        ? { ...told, ...completion, type: 'node.completed' }
        : { ...told, ...completion, type: 'node.skipped', by };
    await writeTo(store, { id }, { ...aBatch([]), events: [event] });
  }
}

test.each([
  {
    of: 'the last one of its node',
    completions: [{}, {}, { node: 'b' }],
    tasks: [{ node: 'a' }, { node: 'b' }],
    expected: [2, 3],
  },
  {
    of: 'the one of its map element',
    completions: [{ index: 0 }, { index: 1 }, {}],
    tasks: [
      { node: 'a', index: 1 },
      { node: 'a', index: 0 },
    ],
    expected: [2, 1],
  },
  { of: 'the one of the outer graph', completions: [{}, { path: ['o'] }], tasks: [{ node: 'a' }], expected: [1] },
  { of: 'the one that a person has given', completions: [{}, { by: 'ann' }], tasks: [{ node: 'a' }], expected: [2] },
  { of: 'missing, if none is stored', completions: [{ node: 'b' }], tasks: [{ node: 'a' }], expected: [null] },
])('the state update of a completed task is $of', async ({ of, completions, tasks, expected }) => {
  await aRunOf(`R-${of}`, completions);
  const updates = await store.journal.lastUpdates(`R-${of}`, 0, tasks);
  expect(updates.map((update) => update?.['seq'] ?? null)).toEqual(expected);
});

test('state updates of completed tasks are found across pages', async () => {
  await aRunOf(
    'R-large',
    ['a', 'b', 'c'].map((node) => ({ node, update: { node, large: LARGE } })),
  );
  const updates = await store.journal.lastUpdates('R-large', 0, [{ node: 'a' }, { node: 'c' }]);
  expect(updates.map((update) => update?.['node'])).toEqual(['a', 'c']);
});

test('the state updates of other supersteps are ignored', async () => {
  await aRunOf('R-loop', [{}, { step: 1 }, { step: 3 }]);
  const inStep = async (step: number) => await store.journal.lastUpdates('R-loop', step, [{ node: 'a' }]);
  expect(await Promise.all([0, 1, 2, 3].map(inStep))).toEqual([[{ seq: 1 }], [{ seq: 2 }], [null], [{ seq: 3 }]]);
});
