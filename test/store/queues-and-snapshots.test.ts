import { PGlite } from '@electric-sql/pglite';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../src/api/engine.ts';
import { grantTurns } from '../../src/api/grant-turns.ts';
import { createLogger } from '../../src/process/logger.ts';
import { createPgliteDialect } from '../../src/store/pglite-dialect.ts';
import { openEmbeddedStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';
import { AT, LATER, aBatch, aCheckpoint, aNewRun, endRun, aView, writeTo } from '../support/store-builders.ts';
import { anAbsentEngine } from '../support/absent-engine.ts';

let store: Store;
let tables: Kysely<Tables>;
beforeAll(async () => {
  const database = new PGlite();
  store = await openEmbeddedStore(database);
  tables = new Kysely({ dialect: createPgliteDialect(database) });
});
afterAll(async () => await store.close());
const engine = (send: Engine['send']): Engine => anAbsentEngine({ start: async () => undefined, send });
const logger = createLogger('silent');

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
test('a queued run gets its turn, however many others wait behind runs that are at work', async () => {
  for (let n = 0; n <= 100; n++) {
    const threadId = `t${String(n).padStart(3, '0')}`;
    await store.runs.create(aNewRun({ id: `${threadId} active`, threadId }));
    await store.runs.create(aNewRun({ id: `${threadId} queued`, threadId, onBusy: 'enqueue' }));
  }
  await endRun(store, { id: 't100 active' });
  await grantTurns({ store, engine: engine(async () => false), logger });
  expect((await store.runs.find('t100 queued'))?.isQueued).toBe(false);
});
test('an interruption is not forgotten when the run it is for has not reached Temporal yet', async () => {
  await store.runs.create(aNewRun({ id: 'I-1', tenantId: 'aaa', threadId: 'i' }));
  await store.runs.create(aNewRun({ id: 'I-2', tenantId: 'aaa', threadId: 'i', onBusy: 'interrupt' }));
  await grantTurns({ store, engine: engine(async () => false), logger }); // `false`: there is no such workflow (yet)
  expect(await store.threads.queueHeads(1)).toMatchObject([
    { runId: 'I-2', activeRunId: 'I-1', interruption: { runId: 'I-2' } },
  ]);
});
test('a hand-over that is noted late is not taken for that of the next execution', async () => {
  await store.runs.create(aNewRun({ id: 'H' }));
  await store.handOvers.claim('H', AT, LATER); // the first execution: given to Temporal, and not noted yet …
  await endRun(store, { id: 'H' }); // … it ends, and is retried, and its second execution can't be given to Temporal
  await store.endings.reopen('H', { lastSeq: 1, reopening: {}, limits: {}, view: aView(), at: AT });
  await store.handOvers.complete({ id: 'H', execution: 1 }, AT); // the note of the first
  expect(await store.handOvers.due(LATER, 1_000)).toContain('H');
});
test('a thread whose run does not answer keeps no other thread waiting', async () => {
  await store.runs.create(aNewRun({ id: 'O-1', tenantId: '000', threadId: 'i' }));
  await store.runs.create(aNewRun({ id: 'O-2', tenantId: '000', threadId: 'i', onBusy: 'interrupt' }));
  await store.runs.create(aNewRun({ id: 'O-3', tenantId: '001', threadId: 'i' }));
  await store.runs.create(aNewRun({ id: 'O-4', tenantId: '001', threadId: 'i', onBusy: 'enqueue' }));
  await endRun(store, { id: 'O-3', tenantId: '001' });
  await grantTurns({
    store,
    engine: engine(async () => {
      throw new Error('503');
    }),
    logger,
  }).catch(() => undefined);
  expect((await store.runs.find('O-4'))?.isQueued).toBe(false);
});
