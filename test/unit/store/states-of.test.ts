import { expect, test } from 'vitest';
import type { StoredCheckpoint, StoredState } from '../../../src/store/checkpoints.ts';
import { aBatch, aCheckpoint, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const { checkpoints } = store;

/** Writes a run whose checkpoints append to a list and replace a value. @returns the checkpoints, newest first */
async function write(id: string, numbers: readonly number[], value = ''): Promise<readonly StoredCheckpoint[]> {
  await store.runs.create(aNewRun({ id }));
  const written = numbers.map((n) =>
    aCheckpoint(id, n, { changes: { log: { append: [n] }, x: { set: `${value}${n}` } } }),
  );
  await writeTo(store, { id }, aBatch(numbers, { checkpoints: written }));
  return (await checkpoints.list([id], { limit: 1_000 })).items;
}

async function statesOf(listed: readonly StoredCheckpoint[], maxBytes?: number): Promise<(StoredState | null)[]> {
  const states = [];
  for await (const state of checkpoints.statesOf(listed, maxBytes)) states.push(state);
  return states;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1);
const logOf = (state: StoredState | null | undefined) => state?.channels['log'];

test('the states of a run at its checkpoints are complete, before and after its snapshots', async () => {
  const listed = await write('S', upTo(150));
  await checkpoints.at('S', 'S.c70');
  await checkpoints.at('S', 'S.c140');
  const states = await statesOf(listed);
  expect(states.map((state) => state?.checkpoint.seq)).toEqual(upTo(150).toReversed());
  expect(states.map(logOf)).toEqual(
    upTo(150)
      .map((n) => upTo(n))
      .toReversed(),
  );
  const isOne = (_: unknown, at: number): boolean => [0, 9, 10, 11, 79, 80, 81, 149].includes(at);
  const alone = listed.filter(isOne).map(async (checkpoint) => await checkpoints.stateOf(checkpoint));
  expect(states.filter(isOne)).toEqual(await Promise.all(alone));
});

test('an incomplete state of a run is left out; earlier states and those of other runs are not', async () => {
  const [two, one] = await write('G', [1, 2]);
  const gapped = await write('H', [1, 3]);
  const states = await statesOf([...gapped, ...(two && one ? [two, one] : [])]);
  expect(states.map(logOf)).toEqual([undefined, [1], [1, 2], [1]]);
});

test('reading the states of runs ends once the byte limit is reached, and the states read so far are complete', async () => {
  const runs = [];
  for (const id of ['A', 'B', 'C']) runs.push(await write(id, [1, 2], 'x'.repeat(1_000)));
  const [a, b, c] = runs.map(([newest]) => newest);
  const [older] = runs.map(([, second]) => second);
  if (!a || !b || !c || !older) throw new Error('Nothing is stored');
  expect((await statesOf([a, b, c, older], 3_000)).map((state) => state?.checkpoint.id)).toEqual(['A.c2', 'B.c2']);
  expect((await statesOf([a, older, b], 1)).map((state) => state?.checkpoint.id)).toEqual(['A.c2', 'A.c1']);
  expect(await statesOf([a, b, c, older])).toHaveLength(4);
});
