import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { Listen } from './listen.ts';
import { storableParameters } from './columns.ts';

/** @internal */
export function createPgliteDialect(database: EmbeddedDatabase): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Subscribes to the notifications of an embedded database, whose only writer is this process. */
export function listenToPglite(database: EmbeddedDatabase): Listen {
  return (channel, listener) => {
    const stop = database.onNotification((on, payload) => {
      if (on === channel) listener.received(payload);
    });
    const open = async (): Promise<void> => {
      const release = await takeConnection(database);
      await database.exec(`listen ${channel}`).finally(release);
      listener.opened();
    };
    // As with an unavailable server, subscribers also poll.
    const opening = open().catch(() => undefined);
    return {
      async close() {
        stop();
        await opening;
      },
    };
  };
}

/** Resolves when the single connection of a database is free. */
const releases = new WeakMap<EmbeddedDatabase, Promise<void>>();

/**
 * Takes the single connection of a database. The caller has it exclusively across all drivers of the database, so that
 * transactions never interleave.
 * @returns a function that releases the connection
 */
async function takeConnection(database: EmbeddedDatabase): Promise<() => void> {
  const before = releases.get(database);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  releases.set(database, released);
  await before;
  return release;
}

function createDriver(database: EmbeddedDatabase): Driver {
  const connection = toConnection(database);
  const run = (sql: string) => async (): Promise<void> => void (await database.exec(sql));
  let release = (): void => undefined;
  return {
    init: async () => database.waitReady,
    async acquireConnection() {
      release = await takeConnection(database);
      return connection;
    },
    releaseConnection: async () => release(),
    beginTransaction: run('begin'),
    commitTransaction: run('commit'),
    rollbackTransaction: run('rollback'),
    destroy: async () => releases.get(database),
  };
}

function toConnection(database: EmbeddedDatabase): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, affectedRows } = await database.query<R>(sql, storableParameters(parameters));
      return { rows, numAffectedRows: BigInt(affectedRows ?? 0) };
    },
    // eslint-disable-next-line require-yield
    async *streamQuery() {
      throw new TypeError('The embedded database has no cursors');
    },
  };
}

/** An embedded PostgreSQL with a single connection. */
export interface EmbeddedDatabase {
  readonly waitReady: Promise<void>;
  query<R>(statement: string, parameters: unknown[]): Promise<StatementResult<R>>;
  /** Executes statements without parameters and results. */
  exec(statements: string): Promise<unknown>;
  /** Subscribes a listener to all notifications. @returns a function that unsubscribes */
  onNotification(listener: (channel: string, payload: string) => void): () => void;
}

export interface StatementResult<R> {
  readonly rows: R[];
  readonly affectedRows?: number;
}
