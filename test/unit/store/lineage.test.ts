import { Kysely, sql } from 'kysely';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import { foldUpTo, readLineage, reachesBackTo } from '../../../src/store/lineage.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { aBatch, aCheckpoint, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const MIB = 1_048_576;

const store = await useMemoryStore();
const tables = new Kysely<Tables>({ dialect: createPgliteDialect(store.database) });

const largeOf = (n: number): string => `${n}${'x'.repeat(MIB)}`;
const upTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1);
const key = (runId: string, n: number) => ({ id: `${runId}.c${n}`, runId, seq: n });

/** Writes checkpoints that replace a large value and append to a list. */
async function write(id: string, numbers: readonly number[]): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  for (const n of numbers) {
    const changes = { x: { set: largeOf(n) }, log: { append: [n] } };
    await writeTo(store, { id }, aBatch([n], { checkpoints: [aCheckpoint(id, n, { changes })] }));
  }
}

test('only the last changes of a long chain are held in memory, and the state is complete', async () => {
  await write('R', upTo(30));
  const lineage = await readLineage(tables, key('R', 30));
  expect(lineage.links).toHaveLength(30);
  expect(lineage.chain).toHaveLength(8);
  expect(lineage.bytes).toBeGreaterThan(30 * MIB);
  for (const n of [22, 23, 29, 30]) {
    const state = foldUpTo(lineage, `R.c${n}`);
    expect(state?.channels['log']).toEqual(upTo(n));
    expect(state?.channels['x']).toBe(largeOf(n));
    expect(state?.resumePoint.visits).toEqual({ a: n });
  }
  expect([21, 22].map((n) => reachesBackTo(lineage, key('R', n)))).toEqual([false, true]);
  expect(foldUpTo(lineage, 'R.c21')).toBeNull();
  const states = [];
  const { items } = await store.checkpoints.list(['R'], { limit: 30 });
  for await (const state of store.checkpoints.statesOf(items)) states.push(state?.channels['log']);
  expect(states).toEqual(upTo(30).map(upTo).toReversed());
}, 60_000);

test('a gap ends a lineage, even if its changes are not held in memory', async () => {
  await write('G', [...upTo(4), ...upTo(12).map((n) => n + 5)]);
  const lineage = await readLineage(tables, key('G', 17));
  expect([lineage.chain, lineage.links.length, foldUpTo(lineage, 'G.c17')]).toEqual([[], 4, null]);
  expect(foldUpTo(lineage, 'G.c4')?.channels['log']).toEqual(upTo(4));
  expect((await store.checkpoints.at('G', null))?.checkpoint.id).toBe('G.c4');
}, 60_000);

test('if retention deletes changes between two reads, the snapshot is used', async () => {
  await write('D', upTo(12));
  const resumePoint = JSON.stringify((await store.checkpoints.at('D', 'D.c12'))?.resumePoint);
  let deletion: Promise<unknown> | null = null;
  const deleting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    // The connection is still in use at this time, so the deletion comes next.
    async transformResult({ result }) {
      if (result.rows.length === 12)
        deletion ??= sql`
          with gone as (delete from checkpoints where run_id = 'D' and seq < 12)
          insert into snapshots (checkpoint_id, run_id, seq, channels, resume_point, bytes)
          values ('D.c12', 'D', 12, '{"x":"kept"}', ${resumePoint}::json, 1)
        `.execute(tables);
      return result;
    },
  };
  const lineage = await readLineage(tables.withPlugin(deleting), key('D', 12));
  expect([deletion !== null, lineage.links]).toEqual([true, []]);
  expect(foldUpTo(lineage, 'D.c12')?.channels).toEqual({ x: 'kept' });
}, 20_000);
