import type { Dialect } from 'kysely';
import type { Listen } from '../../store/database/listen.ts';
import { listenToPostgres } from '../../store/database/listen-to-postgres.ts';
import { createPgliteDialect, listenToPglite } from '../../store/database/pglite-dialect.ts';
import { createPostgresDialect } from '../../store/database/postgres-dialect.ts';
import { openEmbeddedStore, openPostgresStore } from '../../store/store.ts';
import type { Store } from '../../store/store.ts';
import type { Teardown } from '../teardown.ts';
import type { ThreadedDatabase } from './open-threaded-database.ts';

/** The store of a stack, and its database beside it. */
export interface Database {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly listen: Listen;
}

/** Opens the store in a database: an embedded one that is open, or the PostgreSQL of a URL. */
export async function useStore(database: ThreadedDatabase | string, teardown: Teardown): Promise<Database> {
  if (typeof database === 'string') {
    const store = await openPostgresStore(database);
    teardown.add(() => store.close());
    const dialect = createPostgresDialect(database, { maxConnections: 5 });
    return { store, dialect, listen: listenToPostgres(database) };
  }
  const store = await openEmbeddedStore(database);
  teardown.add(() => store.close());
  return { store, dialect: createPgliteDialect(database), listen: listenToPglite(database) };
}
