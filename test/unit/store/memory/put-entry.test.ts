import { Kysely } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPostgresDialect } from '../../../../src/store/database/postgres-dialect.ts';
import { createMemory } from '../../../../src/store/memory/memory.ts';
import type { Memory } from '../../../../src/store/memory/memory.ts';
import { openPostgresStore } from '../../../../src/store/store.ts';
import type { Tables } from '../../../../src/store/tables.ts';
import { startPostgres } from '../../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../../support/servers/postgres-server.ts';

/* The embedded database executes one transaction at a time, so only a server can show races. */

const MOST = 3;
const AT_ONCE = 8;

let server: PostgresServer;
let db: Kysely<Tables>;
let memory: Memory;
let tenantId = '';
beforeAll(async () => {
  server = await startPostgres();
  await (await openPostgresStore(server.url)).close();
  db = new Kysely<Tables>({ dialect: createPostgresDialect(server.url, { maxConnections: AT_ONCE }) });
  memory = createMemory(db, MOST);
});
afterAll(async () => {
  await db.destroy();
  await server.stop();
});
beforeEach(({ task }) => {
  tenantId = task.id;
});

const save = async (key: string, { value = 1, namespace = 'n', expiresAt = null }: Saved = {}) =>
  await memory.put({ tenantId, namespace, key }, { value, expiresAt, by: 'ann', runId: null });
interface Saved {
  readonly value?: number;
  readonly namespace?: string;
  readonly expiresAt?: string | null;
}
const all = async <T>(work: (index: number) => Promise<T>): Promise<readonly T[]> =>
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index)));
const keys = async (namespace = 'n'): Promise<number> =>
  (await memory.list({ tenantId, namespace, prefix: '' }, { limit: 100 })).items.length;
const PAST = '2020-01-01T00:00:00.000Z';

test('concurrent writers create no more memory entries than a tenant may have, in any namespaces', async () => {
  const made = await all(async (index) => await save(`k${index}`, { namespace: `n${index % 2}` }));
  expect(made.filter((one) => one?.isNew === true)).toHaveLength(MOST);
  expect(made.filter((one) => one === null)).toHaveLength(AT_ONCE - MOST);
  expect((await keys('n0')) + (await keys('n1'))).toBe(MOST);
});

test('one of many concurrent writers of a memory key creates the entry', async () => {
  await save('a');
  await save('b');
  const made = await all(async (value) => await save('c', { value }));
  expect(made.map((one) => one?.isNew).filter(Boolean)).toEqual([true]);
  expect(made).not.toContain(null);
});

test('a tenant at its limit can change memory entries, and add one after a deletion', async () => {
  for (const key of ['a', 'b', 'c']) await save(key);
  expect(await save('a', { value: 2 })).toMatchObject({ isNew: false, entry: { value: 2 } });
  expect(await save('d')).toBeNull();
  await save('b', { expiresAt: PAST });
  expect(await save('d')).toMatchObject({ isNew: true });
  expect(await save('b')).toBeNull();
});

test('an expired memory entry is new when it is written again', async () => {
  const first = await save('a', { expiresAt: PAST });
  const again = await save('a', { value: 2 });
  expect([first?.isNew, again?.isNew]).toEqual([true, true]);
  expect(again?.entry.createdAt).toBe(again?.entry.updatedAt);
});
