import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { openMemoryStore } from '../../support/servers/memory-database.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';
import type { OpenedStore } from '../../support/suites/checkpoints-suite.ts';
import { definitionsSuite } from '../../support/suites/definitions-suite.ts';
import { storeSuite } from '../../support/suites/store-suite.ts';

storeSuite('store on embedded PostgreSQL', async () => {
  const store = await openMemoryStore();
  return { store, tables: new Kysely({ dialect: createPgliteDialect(store.database) }) };
});

describe('the store of a PostgreSQL server', () => {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (process.env['DATABASE_URL'] === undefined) server = await startPostgres();
  });
  afterAll(async () => await server?.stop());

  const open = async (name: string): Promise<OpenedStore> => {
    const url = process.env['DATABASE_URL'] ?? (await server?.createDatabase(name)) ?? '';
    return {
      store: await openPostgresStore(url),
      tables: new Kysely({ dialect: createPostgresDialect(url, { maxConnections: 1 }) }),
    };
  };

  storeSuite('store on PostgreSQL', async () => await open('store'));

  describe('concurrent users of a store', () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await open('shared');
    });
    afterAll(async () => {
      await opened.store.close();
      await opened.tables.destroy();
    });
    definitionsSuite(() => opened);
  });
});
