import { PostgresDialect } from 'kysely';
import { Pool } from 'pg';

/** A PostgreSQL server behind a pool of connections. One that breaks while nobody uses it is replaced; nobody has to know. */
export function createPostgresDialect(url: string, maxConnections: number): PostgresDialect {
  const pool = new Pool({ connectionString: url, max: maxConnections });
  pool.on('error', () => undefined);
  return new PostgresDialect({ pool });
}
