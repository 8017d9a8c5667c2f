import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { openThreadedDatabase } from '../../../src/dev/database/open-threaded-database.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { openEmbeddedStore, openPostgresStore } from '../../../src/store/store.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';
import type { OpenedStore } from '../../support/suites/checkpoints-suite.ts';
import { definitionsSuite } from '../../support/suites/definitions-suite.ts';
import { storeSuite } from '../../support/suites/store-suite.ts';

const opened = openTeardown();
afterAll(async () => await opened.run());

storeSuite('store on embedded PostgreSQL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
  opened.add(() => rm(folder, { recursive: true, force: true }));
  const database = await openThreadedDatabase(join(folder, 'pglite'));
  opened.add(() => database.close());
  const tables = new Kysely<Tables>({ dialect: createPgliteDialect(database) });
  return { store: await openEmbeddedStore(database), tables };
});

describe('a PostgreSQL server', () => {
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
