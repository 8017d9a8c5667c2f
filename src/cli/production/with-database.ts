import { Kysely } from 'kysely';
import { createPostgresDialect } from '../../store/database/postgres-dialect.ts';
import type { Tables } from '../../store/tables.ts';

/** Opens a database for one use of it, over one connection. */
export async function withDatabase<T>(url: string, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = new Kysely<Tables>({ dialect: createPostgresDialect(url, { maxConnections: 1 }) });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}
