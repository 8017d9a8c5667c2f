import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => await server.stop());

const open = (): Kysely<unknown> =>
  new Kysely<unknown>({ dialect: createPostgresDialect(server.url, { maxConnections: 2 }) });

async function pidOf(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}

/** Ends a connection and waits until the server has removed it; the client was notified by then. */
async function terminate(db: Kysely<unknown>, pid: number): Promise<void> {
  await sql`select pg_terminate_backend(${pid})`.execute(db);
  const left = async (): Promise<number> =>
    (await sql`select 1 from pg_stat_activity where pid = ${pid}`.execute(db)).rows.length;
  await expect.poll(left).toBe(0);
}

test('a database connection that breaks during a transaction fails only that transaction', async () => {
  const [db, other] = [open(), open()];
  const uncaught = vi.fn<(error: Error) => void>();
  process.on('uncaughtException', uncaught);
  const broken = db.transaction().execute(async (transaction) => {
    await terminate(other, await pidOf(transaction));
    await pidOf(transaction);
  });
  await expect(broken).rejects.toThrow(/terminating|terminated|not queryable/);
  expect(await pidOf(db)).toBeGreaterThan(0);
  process.off('uncaughtException', uncaught);
  expect(uncaught).not.toHaveBeenCalled();
  await Promise.all([db.destroy(), other.destroy()]);
});
