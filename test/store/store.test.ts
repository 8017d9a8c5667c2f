import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe } from 'vitest';
import { openEmbeddedStore, openPostgresStore } from '../../src/store/store.ts';
import { startPostgres } from '../support/postgres-server.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { storeSuite } from '../support/store-suite.ts';

storeSuite('store on embedded PostgreSQL', async () => await openEmbeddedStore(new PGlite()));

describe('a PostgreSQL server', () => {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (process.env['DATABASE_URL'] === undefined) server = await startPostgres();
  });
  afterAll(async () => await server?.stop());

  storeSuite(
    'store on PostgreSQL',
    async () => await openPostgresStore(process.env['DATABASE_URL'] ?? (await server?.createDatabase('store')) ?? ''),
  );
});
