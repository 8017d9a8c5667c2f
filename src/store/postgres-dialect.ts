import { createHash } from 'node:crypto';
import { PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { PoolClient } from 'pg';

/**
 * A PostgreSQL server behind a pool of connections, each of which plans a statement once. A connection that breaks while
 * nobody uses it is replaced; nobody has to know.
 */
export function createPostgresDialect(url: string, maxConnections: number): PostgresDialect {
  const pool = new Pool({ connectionString: url, max: maxConnections });
  pool.on('error', () => undefined);
  return new PostgresDialect({
    pool: { connect: async () => preparing(await pool.connect()), end: async () => await pool.end() },
  });
}

const names = new Map<string, string>();

/** The store has some dozens of statements: each gets a name, by which a connection knows it again. */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? createHash('sha256').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}

function preparing(client: PoolClient): PoolClient {
  const query = async (text: string, values: unknown[] = []) =>
    await client.query(values.length === 0 ? text : { name: nameOf(text), text, values });
  return new Proxy(client, {
    get: (target, property): unknown => (property === 'query' ? query : Reflect.get(target, property)),
  });
}
