import type { PGlite } from '@electric-sql/pglite';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';

export function createPgliteDialect(database: PGlite): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Resolves when the only connection of a database is free. */
const releases = new WeakMap<PGlite, Promise<void>>();

/**
 * The database has one connection. A caller has it alone until it is released, across all drivers
 * of the database, so transactions never mix.
 */
function createDriver(database: PGlite): Driver {
  const connection = toConnection(database);
  const run = (sql: string) => async (): Promise<void> => void (await database.exec(sql));
  let release = (): void => undefined;
  return {
    init: async () => database.waitReady,
    async acquireConnection() {
      const before = releases.get(database);
      let done = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        done = resolve;
      });
      releases.set(database, released);
      await before;
      release = done;
      return connection;
    },
    releaseConnection: async () => release(),
    beginTransaction: run('begin'),
    commitTransaction: run('commit'),
    rollbackTransaction: run('rollback'),
    destroy: async () => releases.get(database),
  };
}

function toConnection(database: PGlite): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, affectedRows } = await database.query<R>(sql, [...parameters]);
      return { rows, numAffectedRows: BigInt(affectedRows ?? 0) };
    },
    // eslint-disable-next-line require-yield
    async *streamQuery() {
      throw new TypeError('The embedded database has no cursors');
    },
  };
}
