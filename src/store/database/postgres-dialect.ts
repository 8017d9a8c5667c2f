import { createHash } from 'node:crypto';
import { PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import { isDatabaseAway, toDatabaseError } from './database-away.ts';

interface PoolSettings {
  readonly maxConnections: number;
  /** So long a statement may take, and then as good as never ends. */
  readonly queryTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Nobody waits longer for a server that has stopped answering. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * A PostgreSQL server behind a pool of connections, each of which plans a statement once. A connection that breaks, or
 * on which a statement is not answered in time, is replaced.
 */
export function createPostgresDialect(
  url: string,
  { maxConnections, queryTimeoutMs = QUERY_TIMEOUT_MS }: PoolSettings,
): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
  });
  // What breaks is told as an event besides, which would end the process if nobody listened: here of a connection that
  // nobody uses, there of one that somebody does.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const connect = async (): Promise<PoolClient> => watched(await pool.connect().catch(rethrow));
  return new PostgresDialect({ pool: { connect, end: async () => await pool.end() } });
}

const names = new Map<string, string>();

/** The store has some dozens of statements: each gets a name, by which a connection knows it again. */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? createHash('sha256').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}

/** Nothing more is asked on a connection that has failed, and the pool does not get it back. */
function watched(client: PoolClient): PoolClient {
  let failure: unknown = null;
  const note = (error: unknown): never => {
    const known = toDatabaseError(error);
    if (isDatabaseAway(known)) failure = known;
    throw known;
  };
  const query = async (text: string, values: unknown[] = []) => {
    if (failure !== null) throw failure;
    return await client.query(values.length === 0 ? text : { name: nameOf(text), text, values }).catch(note);
  };
  const own: Partial<Record<PropertyKey, unknown>> = { query, release: () => client.release(failure !== null) };
  return new Proxy(client, {
    get: (target, property): unknown => own[property] ?? Reflect.get(target, property),
  });
}

function rethrow(error: unknown): never {
  throw toDatabaseError(error);
}
