import { resolve } from 'node:path';
import type { Dialect } from 'kysely';
import type { Listen } from '../../store/database/listen.ts';
import { listenToPostgres } from '../../store/database/listen-to-postgres.ts';
import { createPgliteDialect, listenToPglite } from '../../store/database/pglite-dialect.ts';
import { createPostgresDialect } from '../../store/database/postgres-dialect.ts';
import { openEmbeddedStore, openPostgresStore } from '../../store/store.ts';
import type { Store } from '../../store/store.ts';
import type { Teardown } from '../teardown.ts';
import { openThreadedDatabase } from './open-threaded-database.ts';

/** The store of a stack, and its database beside it. */
export interface Database {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly listen: Listen;
}

/** Opens the database that `DATABASE_URL` names, or an embedded one in the data folder. */
export async function openDatabase(
  { environment, dataDir }: { readonly environment: NodeJS.ProcessEnv; readonly dataDir: string },
  teardown: Teardown,
): Promise<Database> {
  const { DATABASE_URL } = environment;
  if (DATABASE_URL !== undefined) {
    const store = await openPostgresStore(DATABASE_URL);
    teardown.add(() => store.close());
    const dialect = createPostgresDialect(DATABASE_URL, { maxConnections: 5 });
    return { store, dialect, listen: listenToPostgres(DATABASE_URL) };
  }
  const database = await openThreadedDatabase(resolve(dataDir, 'pglite'));
  teardown.add(() => database.close());
  const store = await openEmbeddedStore(database);
  teardown.add(() => store.close());
  return { store, dialect: createPgliteDialect(database), listen: listenToPglite(database) };
}
