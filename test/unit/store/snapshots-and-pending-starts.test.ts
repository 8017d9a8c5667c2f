import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import { openEmbeddedStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Tables } from '../../../src/store/tables.ts';
import {
  AT,
  LATER,
  aBatch,
  aCheckpoint,
  aNewRun,
  endRun,
  aView,
  writeTo,
} from '../../support/builders/store-builders.ts';
import { openMemoryDatabase } from '../../support/servers/memory-database.ts';

let store: Store;
let tables: Kysely<Tables>;
beforeAll(async () => {
  const database = await openMemoryDatabase();
  store = await openEmbeddedStore(database);
  tables = new Kysely({ dialect: createPgliteDialect(database) });
});
afterAll(async () => await store.close());

/** Writes a run of so many checkpoints, each of which appends to a list. */
async function writeLong(id: string, length: number): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  const numbers = Array.from({ length }, (_, n) => n + 1);
  const checkpoints = numbers.map((n) => aCheckpoint(id, n, { changes: { log: { append: [n] } } }));
  await writeTo(store, { id }, aBatch(numbers, { checkpoints }));
}

/** The bytes of a run's snapshots, and of what was written. */
async function bytesOf(id: string): Promise<{ kept: number; written: number }> {
  const bytesIn = (table: 'snapshots' | 'checkpoints') =>
    sql<number>`(select sum(bytes)::float8 from ${sql.table(table)} where run_id = ${id})`;
  const { rows } = await sql<{
    kept: number;
    written: number;
  }>`select ${bytesIn('snapshots')} as kept, ${bytesIn('checkpoints')} as written`.execute(tables);
  return rows[0] ?? { kept: Number.NaN, written: Number.NaN };
}

test('snapshots are no larger than what was written, in whatever order it is read', async () => {
  await writeLong('S', 200);
  for (let n = 200; n > 0; n--) await store.checkpoints.at('S', `S.c${n}`);
  const { kept, written } = await bytesOf('S');
  expect(kept).toBeLessThanOrEqual(written);
}, 60_000);

test('snapshots stay linear when a run is listed by pages of 50, the newest first, as the API does', async () => {
  await writeLong('P', 400);
  for (let page = 7; page >= 0; page--)
    for (let n = page * 50 + 1; n <= page * 50 + 50; n++) await store.checkpoints.at('P', `P.c${n}`);
  const { kept, written } = await bytesOf('P');
  expect(kept).toBeLessThanOrEqual(written);
}, 60_000);

test('a start that is noted late is not taken for that of the next execution', async () => {
  await store.runs.create(aNewRun({ id: 'H' }));
  await store.pendingStarts.claim('H', AT, LATER); // the first execution: given to Temporal, and not noted yet …
  await endRun(store, { id: 'H' }); // … it ends, and is retried, and its second execution can't be given to Temporal
  await store.endedRuns.reopen('H', { lastSeq: 1, reopening: {}, limits: {}, view: aView(), at: AT });
  await store.pendingStarts.complete({ id: 'H', execution: 1 }, AT); // the note of the first
  expect(await store.pendingStarts.due(LATER, 1_000)).toContain('H');
});
