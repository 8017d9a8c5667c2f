import type { Dialect } from 'kysely';
import type { Listen } from '../../store/database/listen.ts';
import { listenToPostgres, createPostgresDialect } from '../../store/database/postgres-dialect.ts';
import { createPgliteDialect, listenToPglite } from '../../store/database/pglite-dialect.ts';
import { openEmbeddedStore, openPostgresStore } from '../../store/store.ts';
import type { Store } from '../../store/store.ts';
import type { Teardown } from '../teardown.ts';
import type { ThreadedDatabase } from './open-threaded-database.ts';

/** The store of a stack, and its database. */
export interface StackDatabase {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly listen: Listen;
}

/** An open embedded database, and the folder of large values next to it. */
interface EmbeddedStore {
  readonly database: ThreadedDatabase;
  readonly blobs: string;
}

/** Opens the store in an embedded database, or in the PostgreSQL of a URL. */
export async function openStore(location: EmbeddedStore | string, teardown: Teardown): Promise<StackDatabase> {
  if (typeof location === 'string') {
    const store = await openPostgresStore(location);
    teardown.add(() => store.close());
    const dialect = createPostgresDialect(location, { maxConnections: 5 });
    return { store, dialect, listen: listenToPostgres(location) };
  }
  const { database, blobs } = location;
  const store = await openEmbeddedStore(database, blobs);
  teardown.add(() => store.close());
  return { store, dialect: createPgliteDialect(database), listen: listenToPglite(database) };
}
