import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunChange } from '../../../src/store/changes.ts';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { aBatch, writeTo } from '../../support/builders/store-builders.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';

let server: PostgresServer;
let store: Store;
let db: Kysely<unknown>;
beforeAll(async () => {
  server = await startPostgres();
  store = await openPostgresStore(server.url);
  db = new Kysely({ dialect: createPostgresDialect(server.url, { maxConnections: 1 }) });
});
afterAll(async () => {
  await Promise.all([store.close(), db.destroy()]);
  await server.stop();
});

/** The connections that listen. */
async function listeners(): Promise<readonly number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where query like 'listen %' and pid <> pg_backend_pid()
  `.execute(db);
  return rows.map(({ pid }) => pid);
}

test('a process without subscriptions has no listening database connection', async () => {
  await writeTo(store, { id: 'R' }, aBatch([1]));
  expect(await listeners()).toEqual([]);
});

test('a broken listening connection is replaced, and its subscribers are asked to poll and then receive changes again', async () => {
  const received: (RunChange | null)[] = [];
  const unsubscribe = store.changes.subscribe('R', (change) => received.push(change));
  await expect.poll(() => received).toEqual([null]);
  const [pid = 0, ...others] = await listeners();
  expect(others).toEqual([]);
  await sql`select pg_terminate_backend(${pid})`.execute(db);
  await expect.poll(() => received).toEqual([null, null]);
  await writeTo(store, { id: 'R' }, aBatch([2]));
  await expect.poll(() => received.map((change) => change?.seq)).toEqual([undefined, undefined, 2]);
  unsubscribe();
});

test.each(['"R"', 'R', '', '{"runId":"R"}'])(
  'a PostgreSQL notification of another sender on the channel is no change: %j',
  async (said) => {
    const received: (RunChange | null)[] = [];
    const unsubscribe = store.changes.subscribe('R', (change) => received.push(change));
    await sql`select pg_notify('holdfast_runs', ${said})`.execute(db);
    await writeTo(store, { id: 'R' }, aBatch([4]));
    await expect.poll(() => received.map((change) => change?.seq)).toEqual([4]);
    unsubscribe();
  },
);
