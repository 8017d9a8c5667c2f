import { expect, test } from 'vitest';
import { listCheckpoints } from '../../../../src/api/runs/read-state.ts';
import { MAX_PAGE_BYTES } from '../../../../src/store/page.ts';
import type { Position } from '../../../../src/store/page.ts';
import type { Store } from '../../../../src/store/store.ts';
import { ADMIN } from '../../../support/builders/callers.ts';
import { AT, aBatch, aCheckpoint, aNewRun, writeTo } from '../../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const timeOf = (n: number): string => new Date(Date.parse(AT) + n).toISOString();

/** Writes a checkpoint that sets one channel, at moment `at`. */
async function write(runId: string, n: number, { value, at }: { value: string; at: number }): Promise<void> {
  const changes = n === 1 ? { x: { set: value }, log: { set: [] } } : { x: { set: value }, log: { append: [n] } };
  await writeTo(
    store,
    { id: runId },
    aBatch([n], { checkpoints: [aCheckpoint(runId, n, { changes, createdAt: timeOf(at) })] }),
  );
}

/** The pages of the checkpoints of some runs. */
async function pagesOf(runIds: readonly string[]) {
  const pages = [];
  let after: Position | undefined;
  do {
    const { items, next } = await listCheckpoints(store, ADMIN, runIds, { limit: 100, after });
    pages.push(items);
    after = next ?? undefined;
  } while (after);
  return pages;
}

const third = 'x'.repeat(MAX_PAGE_BYTES / 3);
const tooLarge = 'x'.repeat(MAX_PAGE_BYTES + 1);

test('a page of checkpoints ends before its values get too large, and the next page continues', async () => {
  await store.runs.create(aNewRun({ id: 'L' }));
  const values = ['', tooLarge, third, third, third, ''];
  for (const [at, value] of values.entries()) await write('L', at + 1, { value, at });
  const pages = await pagesOf(['L']);
  expect(pages.map((page) => page.map(({ id }) => id))).toEqual([
    ['L.c6', 'L.c5', 'L.c4'],
    ['L.c3'],
    ['L.c2'],
    ['L.c1'],
  ]);
  expect(pages.flat().map(({ values: { x } }) => x)).toEqual(values.toReversed());
  expect(pages.flat().map(({ values: { log } }) => log)).toEqual([
    [2, 3, 4, 5, 6],
    [2, 3, 4, 5],
    [2, 3, 4],
    [2, 3],
    [2],
    [],
  ]);
});

test('a page of checkpoints of several runs ends before its values get too large', async () => {
  for (const id of ['M', 'N']) await store.runs.create(aNewRun({ id }));
  for (const n of [1, 2, 3]) {
    await write('M', n, { value: third, at: 2 * n });
    await write('N', n, { value: third, at: 2 * n + 1 });
  }
  const pages = await pagesOf(['M', 'N']);
  expect(pages.map((page) => page.map(({ id }) => id))).toEqual([
    ['N.c3', 'M.c3'],
    ['N.c2', 'M.c2'],
    ['N.c1', 'M.c1'],
  ]);
});

test('reading a page of checkpoints computes only the page’s states and the first one that does not fit', async () => {
  await store.runs.create(aNewRun({ id: 'O' }));
  for (let n = 1; n <= 8; n += 1) await write('O', n, { value: third, at: n });
  const computed: (string | undefined)[] = [];
  const { checkpoints } = store;
  const watched: Store = {
    ...store,
    checkpoints: {
      ...checkpoints,
      async *statesOf(listed) {
        for await (const state of checkpoints.statesOf(listed)) {
          computed.push(state?.checkpoint.id);
          yield state;
        }
      },
    },
  };
  const { items } = await listCheckpoints(watched, ADMIN, ['O'], { limit: 8 });
  expect(items.map(({ id }) => id)).toEqual(['O.c8', 'O.c7']);
  expect(computed).toEqual(['O.c8', 'O.c7', 'O.c6']);
});
