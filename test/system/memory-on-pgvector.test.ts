import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load-config.ts';
import { openEmbedder } from '../../src/config/open-embedder.ts';
import { createMeaningCheck } from '../../src/process/readiness.ts';
import { withMeaning } from '../../src/store/memory/with-meaning.ts';
import { openPostgresStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { embeddingSettings, startEmbeddingServer } from '../support/doubles/embedding-server.ts';
import { installPackages } from '../support/python/install-packages.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';

/*
 * Search by meaning on a PostgreSQL server with pgvector, which a Python package contains; other tests use it in
 * PGlite.
 */

const run = promisify(execFile);
const teardown = openTeardown();
let store: Store;
beforeAll(async () => {
  const postgres = await startPostgres(await binariesWithPgvector());
  teardown.add(() => postgres.stop());
  const server = await startEmbeddingServer();
  teardown.add(() => server.stop());
  const embedder = openEmbedder(parseConfig('the test', embeddingSettings(server)), process.env);
  store = withMeaning(await openPostgresStore(await postgres.createDatabase('meaning')), embedder, () => undefined);
  teardown.add(() => store.close());
}, 300_000);
afterAll(async () => await teardown.run());

async function binariesWithPgvector(): Promise<string> {
  const python = await installPackages('pgvector', new URL('../support/python/pgvector.txt', import.meta.url));
  const { stdout } = await run(python, [
    '-c',
    'import importlib.util as u; print(u.find_spec("pgserver").submodule_search_locations[0])',
  ]);
  return join(stdout.trim(), 'pginstall', 'bin');
}

const put = async (key: string, value: string, tenantId = 'demo'): Promise<unknown> =>
  await store.memory.put({ tenantId, namespace: 'pets', key }, { value, expiresAt: null, by: 'ada', runId: null });

const find = async (query: string, tenantId = 'demo'): Promise<readonly string[]> =>
  (await store.memory.search({ tenantId, namespace: 'pets', prefix: '' }, query, 10)).items.map(({ key }) => key);

test('the PostgreSQL server of the test supports vectors', async () => {
  await expect(createMeaningCheck(store.meaning)()).resolves.toBeUndefined();
});

test('memory entries on pgvector are found by meaning and by words, in their tenant only', async () => {
  await put('rex', 'a dog of six years');
  await put('herby', 'an automobile');
  await put('theirs', 'a dog', 'other');
  expect(await find('puppy')).toEqual(['rex']);
  expect(await find('years')).toEqual(['rex']);
  expect(await find('puppy', 'other')).toEqual(['theirs']);
});

test('replaced memory entries on pgvector are found by their new meaning only, and removed entries are not found', async () => {
  await put('kept', 'a dog');
  await put('kept', 'a car');
  expect(await find('automobile')).toContain('kept');
  expect(await find('puppy')).not.toContain('kept');
  await store.memory.remove({ tenantId: 'demo', namespace: 'pets', key: 'kept' });
  expect(await find('automobile')).not.toContain('kept');
});
