import { createHash } from 'node:crypto';
import { PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import { isDatabaseAway, toDatabaseError } from './database-away.ts';
import { storableParameters } from './storable-text.ts';

interface PoolSettings {
  readonly maxConnections: number;
  /** The limit of a statement's time, in milliseconds. */
  readonly queryTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A server that takes longer counts as away. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * A PostgreSQL server behind a pool of connections, each of which plans a statement once.
 * A connection that breaks or times out is replaced.
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
  // Without listeners, the error events of idle and of used connections would end the process; the errors
  // themselves are handled where a statement fails.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const connect = async (): Promise<PoolClient> => watched(await pool.connect().catch(rethrow));
  return new PostgresDialect({ pool: { connect, end: async () => await pool.end() } });
}

const names = new Map<string, string>();

/** Statements have names, so that a connection plans each of them once. */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? createHash('sha256').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}

/** A failed connection takes no more statements and leaves the pool. */
function watched(client: PoolClient): PoolClient {
  let failure: unknown = null;
  const note = (error: unknown): never => {
    const known = toDatabaseError(error);
    if (isDatabaseAway(known)) failure = known;
    throw known;
  };
  const query = async (text: string, values: unknown[] = []) => {
    if (failure !== null) throw failure;
    const statement = { name: nameOf(text), text, values: storableParameters(values) };
    return await client.query(values.length === 0 ? text : statement).catch(note);
  };
  const own: Partial<Record<PropertyKey, unknown>> = { query, release: () => client.release(failure !== null) };
  return new Proxy(client, {
    get: (target, property): unknown => own[property] ?? Reflect.get(target, property),
  });
}

function rethrow(error: unknown): never {
  throw toDatabaseError(error);
}
