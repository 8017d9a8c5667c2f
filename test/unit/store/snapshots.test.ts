import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { aBatch, aCheckpoint, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const tables = new Kysely<Tables>({ dialect: createPgliteDialect(store.database) });

/** Writes a run with `length` checkpoints, each of which appends to a list. */
async function writeLong(id: string, length: number, toItem = (n: number): Json => n): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  const numbers = Array.from({ length }, (_, n) => n + 1);
  const checkpoints = numbers.map((n) => aCheckpoint(id, n, { changes: { log: { append: [toItem(n)] } } }));
  await writeTo(store, { id }, aBatch(numbers, { checkpoints }));
}

/** The bytes of a run's snapshots and of its checkpoints. */
async function bytesOf(id: string): Promise<{ snapshots: number; checkpoints: number }> {
  const bytesIn = (table: 'snapshots' | 'checkpoints') =>
    sql<number>`(select sum(bytes)::float8 from ${sql.table(table)} where run_id = ${id})`;
  const { rows } = await sql<{
    snapshots: number;
    checkpoints: number;
  }>`select ${bytesIn('snapshots')} as snapshots, ${bytesIn('checkpoints')} as checkpoints`.execute(tables);
  return rows[0] ?? { snapshots: Number.NaN, checkpoints: Number.NaN };
}

test('snapshots of states are no larger than the checkpoints, in any order of reads', async () => {
  await writeLong('S', 200);
  for (let n = 200; n > 0; n--) await store.checkpoints.at('S', `S.c${n}`);
  const { snapshots, checkpoints } = await bytesOf('S');
  expect(snapshots).toBeLessThanOrEqual(checkpoints);
}, 60_000);

test('the size of state snapshots stays linear when pages of 50 checkpoints are read, newest first', async () => {
  await writeLong('P', 400);
  for (let page = 7; page >= 0; page--)
    for (let n = page * 50 + 1; n <= page * 50 + 50; n++) await store.checkpoints.at('P', `P.c${n}`);
  const { snapshots, checkpoints } = await bytesOf('P');
  expect(snapshots).toBeLessThanOrEqual(checkpoints);
}, 60_000);

test('the size of a snapshot counts bytes, not characters', async () => {
  await writeLong('U', 70, (n) => '€'.repeat(n));
  await store.checkpoints.at('U', 'U.c70');
  const { rows } = await sql<{ bytes: number; stored: number }>`
    select bytes, octet_length(channels::text) + octet_length(resume_point::text) as stored from snapshots where run_id = 'U'
  `.execute(tables);
  expect(rows.map(({ bytes }) => bytes)).toEqual(rows.map(({ stored }) => stored));
  expect(rows.length).toBeGreaterThan(0);
});
