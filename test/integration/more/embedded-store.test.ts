import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { afterAll } from 'vitest';
import { openThreadedDatabase } from '../../../src/dev/database/open-threaded-database.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import { openEmbeddedStore } from '../../../src/store/store.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { storeSuite } from '../../support/suites/store-suite.ts';

const opened = openTeardown();
afterAll(async () => await opened.run());

storeSuite('store on embedded PostgreSQL in a thread', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
  opened.add(() => rm(folder, { recursive: true, force: true }));
  const database = await openThreadedDatabase(join(folder, 'pglite'));
  opened.add(() => database.close());
  const tables = new Kysely<Tables>({ dialect: createPgliteDialect(database) });
  return { store: await openEmbeddedStore(database, join(folder, 'blobs')), tables };
});
