import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresDialect } from '../../../../src/store/database/postgres-dialect.ts';
import { createMemory } from '../../../../src/store/memory/memory.ts';
import { createMemoryVectors } from '../../../../src/store/memory/memory-vectors.ts';
import { openPostgresStore } from '../../../../src/store/store.ts';
import type { Tables } from '../../../../src/store/tables.ts';
import { startPostgres } from '../../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../../support/servers/postgres-server.ts';

let server: PostgresServer;
let db: Kysely<Tables>;
beforeAll(async () => {
  server = await startPostgres();
  await (await openPostgresStore(server.url)).close();
  db = new Kysely<Tables>({ dialect: createPostgresDialect(server.url, { maxConnections: 2 }) });
});
afterAll(async () => {
  await db.destroy();
  await server.stop();
});

test('only memory entries that have not expired get embedding vectors', async () => {
  const memory = createMemory(db);
  const written = { value: 1, expiresAt: null, by: 'ann', runId: null };
  const at = { tenantId: 'acme', namespace: 'n' };
  await memory.put({ ...at, key: 'stays' }, written);
  await memory.put({ ...at, key: 'later' }, { ...written, expiresAt: '2999-01-01T00:00:00.000Z' });
  await memory.put({ ...at, key: 'expired' }, { ...written, expiresAt: '2001-01-01T00:00:00.000Z' });
  await sql`update memory set embed_after = now()`.execute(db);
  const claimed = await createMemoryVectors(db).claim('m', 10);
  expect(claimed.map(({ key }) => key).toSorted()).toEqual(['later', 'stays']);
});
