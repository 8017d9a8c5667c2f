import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { createRandom } from '../builders/random.ts';
import { aBatch, aCheckpoint, aNewRun, writeTo } from '../builders/store-builders.ts';

/** A store, and access to its tables. */
export interface OpenedStore {
  readonly store: Store;
  readonly tables: Kysely<Tables>;
}

const LENGTH = 250;
const SEED = 7;

/** Requirements on every store for long chains of checkpoints. */
export function checkpointsSuite(opened: () => OpenedStore): void {
  const orders: readonly [string, (numbers: readonly number[]) => readonly number[]][] = [
    ['oldest first', (numbers) => numbers],
    ['in any order', (numbers) => createRandom(SEED).shuffle(numbers)],
  ];

  describe.each(orders)('a chain of 250 checkpoints read %s', (name, order) => {
    const runId = `C ${name}`;
    beforeAll(async () => await writeChain(opened().store, runId));

    test('a chain of checkpoints returns the state at each of them, also when it is read again', async () => {
      const numbers = order(numbersUpTo(LENGTH));
      for (const n of [...numbers, ...numbers]) {
        const state = await opened().store.checkpoints.at(runId, `${runId}.c${n}`);
        expect(state).toMatchObject({ channels: stateAfter(n), resumePoint: resumePointAfter(n) });
      }
      const newest = await opened().store.checkpoints.at(runId, null);
      expect(newest?.checkpoint).toMatchObject({ id: `${runId}.c${LENGTH}`, seq: LENGTH, step: LENGTH - 2 });
    }, 60_000);
  });

  test('snapshots are no larger than the checkpoints, read oldest first', async () => {
    const { kept, written } = await sizesOf(opened().tables, 'C oldest first');
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(written);
  });

  test('no state is computed across a missing checkpoint', async () => {
    const { store } = opened();
    const runId = 'C late';
    const last = 80;
    await store.runs.create(aNewRun({ id: runId }));
    const write = async (n: number): Promise<void> => {
      const checkpoint = aCheckpoint(runId, n, { changes: { log: { append: [n] } } });
      await writeTo(store, { id: runId }, aBatch([n], { checkpoints: [checkpoint] }));
    };
    for (let n = 1; n < last - 1; n++) await write(n);
    await write(last);
    const { checkpoints } = store;
    const newest = await checkpoints.at(runId, null);
    expect(newest?.checkpoint.id).toBe(`${runId}.c${last - 2}`);
    expect(newest?.channels).toEqual({ log: numbersUpTo(last - 2) });
    expect(await checkpoints.at(runId, `${runId}.c${last}`)).toBeNull();

    await write(last - 1);
    for (const id of [null, `${runId}.c${last}`])
      expect((await checkpoints.at(runId, id))?.channels).toEqual({ log: numbersUpTo(last) });
    expect((await checkpoints.at(runId, `${runId}.c${last - 1}`))?.channels).toEqual({ log: numbersUpTo(last - 1) });
  });

  test('a run whose first checkpoint has not been written yet has no state', async () => {
    const { store } = opened();
    await store.runs.create(aNewRun({ id: 'C second' }));
    await writeTo(store, { id: 'C second' }, aBatch([2], { checkpoints: [aCheckpoint('C second', 2)] }));
    expect(await store.checkpoints.at('C second', null)).toBeNull();
  });

  test('a fork’s first checkpoint has a parent in another run', async () => {
    const { store } = opened();
    await store.runs.create(aNewRun({ id: 'C fork' }));
    const first = aCheckpoint('C fork', 1, { parentId: 'C oldest first.c3' });
    await writeTo(store, { id: 'C fork' }, aBatch([1], { checkpoints: [first] }));
    expect((await store.checkpoints.at('C fork', null))?.channels).toEqual({ x: 1 });
  });

  test('checkpoints of different runs stay apart', async () => {
    const { store } = opened();
    await store.runs.create(aNewRun({ id: 'C-alone' }));
    await writeTo(store, { id: 'C-alone' }, aBatch([1], { checkpoints: [aCheckpoint('C-alone', 1)] }));
    expect((await store.checkpoints.at('C-alone', null))?.channels).toEqual({ x: 1 });
    expect(await store.checkpoints.at('C-alone', 'C oldest first.c1')).toBeNull();
  });
}

/** Each checkpoint appends to a list; some set a value, some replace the list. */
function changesOf(n: number) {
  return {
    log: n % 100 === 0 ? { set: [`anew ${n}`] } : { append: [n, `text ${n}`] },
    ...(n % 3 === 0 && { third: { set: { n } } }),
  };
}

const numbersUpTo = (n: number): number[] => Array.from({ length: n }, (_, at) => at + 1);

function stateAfter(n: number) {
  const from = Math.floor(n / 100) * 100;
  const log = Array.from({ length: n - from }, (_, at) => [from + at + 1, `text ${from + at + 1}`]).flat();
  const third = Math.floor(n / 3) * 3;
  return { log: from > 0 ? [`anew ${from}`, ...log] : log, ...(third > 0 && { third: { n: third } }) };
}

function resumePointAfter(n: number) {
  const events = Math.floor(n / 50) * 50;
  return {
    visits: { a: n },
    triggers: [{ node: n % 2 === 0 ? 'a' : 'b' }],
    bufferedEvents: events > 0 ? [{ name: 'paid', payload: events }] : [],
    spent: { toolCalls: n },
  };
}

async function writeChain(store: Store, runId: string): Promise<void> {
  await store.runs.create(aNewRun({ id: runId }));
  for (let from = 1; from <= LENGTH; from += 50) {
    const numbers = Array.from({ length: 50 }, (_, at) => from + at);
    const checkpoints = numbers.map((n) =>
      aCheckpoint(runId, n, {
        next: [n % 2 === 0 ? 'a' : 'b'],
        changes: changesOf(n),
        resumePoint: {
          visits: { a: n },
          spent: { toolCalls: n },
          ...(n % 50 === 0 && { bufferedEvents: [{ name: 'paid', payload: n }] }),
        },
      }),
    );
    await writeTo(store, { id: runId }, aBatch(numbers, { checkpoints }));
  }
}

async function sizesOf(tables: Kysely<Tables>, runId: string): Promise<{ kept: number; written: number }> {
  const { rows } = await sql<{ kept: number; written: number }>`
    select
      (select coalesce(sum(bytes), 0)::float8 from snapshots where run_id = ${runId}) as kept,
      (select coalesce(sum(bytes), 0)::float8 from checkpoints where run_id = ${runId}) as written
  `.execute(tables);
  return rows[0] ?? { kept: Number.NaN, written: Number.NaN };
}
