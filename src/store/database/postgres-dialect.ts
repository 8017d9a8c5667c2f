import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect } from 'kysely';
import { Pool, Client } from 'pg';
import type { PoolClient } from 'pg';
import { toDatabaseError } from './connection-error.ts';
import { isDatabaseAway } from './database-away.ts';
import { storableParameters } from './columns.ts';
import type { ChannelListener, Listen } from './listen.ts';

interface PoolSettings {
  readonly maxConnections: number;
  /** The time limit of a statement, in milliseconds. */
  readonly queryTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A server that takes longer is treated as unavailable. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * Connects to a PostgreSQL server with a connection pool. Each connection plans a statement once, and is replaced when
 * it breaks or times out.
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
  // Without listeners, the error events of connections would end the process. The errors are handled where a statement
  // fails.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const connect = async (): Promise<PoolClient> => withFailureCheck(await pool.connect().catch(rethrowDatabaseError));
  return new PostgresDialect({ pool: { connect, end: async () => await pool.end() } });
}

const statementNames = new Map<string, string>();

/** Statements are named, so that each connection plans them only once. */
function statementNameOf(sql: string): string {
  const name = statementNames.get(sql) ?? createHash('sha256').update(sql).digest('base64url');
  statementNames.set(sql, name);
  return name;
}

/** Removes a failed connection from the pool, so that it gets no more statements. */
function withFailureCheck(client: PoolClient): PoolClient {
  let failure: unknown = null;
  const recordFailure = (error: unknown): never => {
    const known = toDatabaseError(error);
    if (isDatabaseAway(known)) failure = known;
    throw known;
  };
  const query = async (text: string, values: unknown[] = []) => {
    if (failure !== null) throw failure;
    const statement = { name: statementNameOf(text), text, values: storableParameters(values) };
    return await client.query(values.length === 0 ? text : statement).catch(recordFailure);
  };
  const own: Partial<Record<PropertyKey, unknown>> = { query, release: () => client.release(failure !== null) };
  return new Proxy(client, {
    get: (target, property): unknown => own[property] ?? Reflect.get(target, property),
  });
}

function rethrowDatabaseError(error: unknown): never {
  throw toDatabaseError(error);
}

const LISTEN_CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_AFTER_MS = 250;
/** A connection may break without an error; this interval bounds how long that remains undetected. */
const CHECK_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;
const CLOSE_WITHIN_MS = 1_000;

/** Subscribes to a PostgreSQL server over a dedicated connection, which is replaced when it breaks. */
export function listenToPostgres(url: string): Listen {
  return (channel, listener) => {
    const stopping = new AbortController();
    const listening = keepListening({ url, channel, listener }, stopping.signal);
    return {
      async close() {
        stopping.abort();
        await listening;
      },
    };
  };
}

interface NotificationChannel {
  readonly url: string;
  readonly channel: string;
  readonly listener: ChannelListener;
}

async function keepListening(channel: NotificationChannel, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    // An unavailable server is tried again; meanwhile, subscribers poll.
    await listenOnce(channel, stopping).catch(() => undefined);
    await sleep(RECONNECT_AFTER_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Listens until the connection breaks or `stopping` is aborted. */
async function listenOnce({ url, channel, listener }: NotificationChannel, stopping: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: LISTEN_CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  const closed = untilClosed(client, stopping);
  client.on('notification', ({ payload = '' }) => listener.received(payload));
  try {
    await Promise.race([client.connect(), closed]);
    await Promise.race([client.query(`listen ${channel}`), closed]);
    if (!stopping.aborted) listener.opened();
    await Promise.race([closed, untilSilent(client)]);
  } finally {
    await Promise.race([client.end().catch(() => undefined), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }
}

/** Resolves when the connection has ended or `stopping` is aborted. */
async function untilClosed(client: Client, stopping: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const closed = (): void => {
      stopping.removeEventListener('abort', closed);
      resolve();
    };
    client.once('end', closed);
    client.on('error', closed);
    stopping.addEventListener('abort', closed);
  });
}

/** Resolves when the server no longer answers. */
async function untilSilent(client: Client): Promise<void> {
  for (;;) {
    await sleep(CHECK_EVERY_MS, undefined, { ref: false });
    const answers = await client.query('select 1').then(
      () => true,
      () => false,
    );
    if (!answers) return;
  }
}
