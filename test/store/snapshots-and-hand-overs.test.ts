import { PGlite } from '@electric-sql/pglite';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPgliteDialect } from '../../src/store/pglite-dialect.ts';
import { openEmbeddedStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';
import { AT, LATER, aBatch, aCheckpoint, aNewRun, endRun, aView, writeTo } from '../support/store-builders.ts';

let store: Store;
let tables: Kysely<Tables>;
beforeAll(async () => {
  const database = new PGlite();
  store = await openEmbeddedStore(database);
  tables = new Kysely({ dialect: createPgliteDialect(database) });
});
afterAll(async () => await store.close());

test('snapshots are no larger than what was written, in whatever order it is read', async () => {
  await store.runs.create(aNewRun({ id: 'S' }));
  const numbers = Array.from({ length: 500 }, (_, n) => n + 1);
  await writeTo(
    store,
    { id: 'S' },
    aBatch(numbers, { checkpoints: numbers.map((n) => aCheckpoint('S', n, { changes: { log: { append: [n] } } })) }),
  );
  for (const n of numbers.toReversed()) await store.checkpoints.at('S', `S.c${n}`);
  const { rows } = await sql<{
    kept: number;
    written: number;
  }>`select (select sum(bytes)::float8 from snapshots) as kept, (select sum(bytes)::float8 from checkpoints) as written`.execute(
    tables,
  );
  expect(rows[0]?.kept).toBeLessThanOrEqual(rows[0]?.written ?? 0);
}, 60_000);

test('snapshots stay linear when a run is listed by pages of 50, the newest first, as the API does', async () => {
  await store.runs.create(aNewRun({ id: 'P' }));
  const numbers = Array.from({ length: 2000 }, (_, n) => n + 1);
  await writeTo(
    store,
    { id: 'P' },
    aBatch(numbers, { checkpoints: numbers.map((n) => aCheckpoint('P', n, { changes: { log: { append: [n] } } })) }),
  );
  for (let page = 39; page >= 0; page--)
    for (let n = page * 50 + 1; n <= page * 50 + 50; n++) await store.checkpoints.at('P', `P.c${n}`);
  const { rows } = await sql<{
    kept: number;
    written: number;
  }>`select (select sum(bytes)::float8 from snapshots where run_id = 'P') as kept, (select sum(bytes)::float8 from checkpoints where run_id = 'P') as written`.execute(
    tables,
  );
  expect(rows[0]?.kept).toBeLessThanOrEqual(rows[0]?.written ?? 0);
}, 60_000);

test('a hand-over that is noted late is not taken for that of the next execution', async () => {
  await store.runs.create(aNewRun({ id: 'H' }));
  await store.handOvers.claim('H', AT, LATER); // the first execution: given to Temporal, and not noted yet …
  await endRun(store, { id: 'H' }); // … it ends, and is retried, and its second execution can't be given to Temporal
  await store.endings.reopen('H', { lastSeq: 1, reopening: {}, limits: {}, view: aView(), at: AT });
  await store.handOvers.complete({ id: 'H', execution: 1 }, AT); // the note of the first
  expect(await store.handOvers.due(LATER, 1_000)).toContain('H');
});
