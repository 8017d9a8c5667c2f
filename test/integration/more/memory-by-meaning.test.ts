import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openEmbedder } from '../../../src/config/open-embedder.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { createMeaningCheck, NotReadyError } from '../../../src/process/readiness.ts';
import { withMeaning } from '../../../src/store/memory/with-meaning.ts';
import { openEmbeddedStore } from '../../../src/store/store.ts';
import { embeddingSettings, startEmbeddingServer } from '../../support/doubles/embedding-server.ts';
import type { EmbeddingServer } from '../../support/doubles/embedding-server.ts';
import { listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestApi } from '../../support/servers/test-api.ts';
import type { TestApi } from '../../support/servers/test-api.ts';

let server: EmbeddingServer;
let api: TestApi;
beforeAll(async () => {
  server = await startEmbeddingServer();
  api = await startTestApi(embeddingSettings(server));
});
afterAll(async () => {
  await api.stop();
  await server.stop();
});
beforeEach(() => server.fail(null));

type Caller = 'user' | 'otherTenantUser';

const put = async (at: string, value: string | object, caller: Caller = 'user') => await write(at, { value }, caller);

const write = async (at: string, body: object, caller: Caller = 'user') =>
  await api.as(caller).send(`/api/memory/${at}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const find = async (namespace: string, query: string, caller: Caller = 'user'): Promise<readonly string[]> => {
  const { body } = await api.as(caller).get(`/api/memory/${namespace}?query=${encodeURIComponent(query)}`);
  return listAt(body, '/items').map((entry) => textAt(entry, '/key'));
};

/** Ends the lease during which entries are reserved for other processes. */
const letTimePass = async (): Promise<unknown> =>
  await api.store.database.exec(`update memory set embed_after = now() - interval '1 second'`);

const embedDue = async (): Promise<void> => {
  await letTimePass();
  await api.store.meaning?.embedDue(new AbortController().signal);
};

const vectorsOf = async (namespace: string): Promise<readonly string[]> => {
  const { rows } = await api.store.database.query<{ key: string }>(
    'select key from memory_vectors where namespace = $1 order by key',
    [namespace],
  );
  return rows.map(({ key }) => key);
};

describe('an entry', () => {
  test('a memory entry is found by meaning although it shares no word with the query', async () => {
    const { body } = await put('pets/rex', { text: 'a dog of six years' });
    await put('pets/herby', { text: 'an automobile' });
    expect(await find('pets', 'puppy')).toEqual(['rex']);
    const found = await api.as('user').get('/api/memory/pets?query=puppy');
    expect(found.body).toEqual({ items: [body], nextCursor: null });
  });

  test('a memory entry that matches words and meaning ranks first, in a stable order', async () => {
    await put('food/a', 'broth');
    await put('food/b', 'tomato soup');
    await put('food/c', 'a tomato');
    await put('food/d', 'hot broth');
    for (let time = 0; time < 3; time++) expect(await find('food', 'tomato soup')).toEqual(['b', 'a', 'd']);
    expect((await api.as('user').get('/api/memory/food?query=soup&limit=2')).body).toMatchObject({
      items: [{ key: 'b' }, { key: 'a' }],
      nextCursor: null,
    });
    expect((await api.as('user').get('/api/memory/food?query=soup&prefix=d')).body).toMatchObject({
      items: [{ key: 'd' }],
    });
  });

  test('a memory entry is not found by meaning when the query requires words', async () => {
    expect(await find('food', '"soup"')).toEqual(['b']);
    expect(await find('food', 'soup -tomato')).toEqual([]);
  });

  test('a memory entry of another tenant or namespace is never found by meaning', async () => {
    await put('secret/theirs', 'a dog', 'otherTenantUser');
    await put(`${encodeURIComponent('secret/inner')}/ours`, 'a dog');
    expect(await find('secret', 'puppy')).toEqual([]);
    expect(await find('secret', 'puppy', 'otherTenantUser')).toEqual(['theirs']);
  });

  test('a replaced memory entry is found by its new meaning only', async () => {
    await put('kept/a', 'a dog');
    await put('kept/a', 'a car');
    expect([await find('kept', 'puppy'), await find('kept', 'automobile')]).toEqual([[], ['a']]);
    await api.as('user').send('/api/memory/kept/a', { method: 'DELETE' });
    await write('kept/short', { value: 'a dog', ttl: '1ms' });
    await expect.poll(async () => await find('kept', 'puppy')).toEqual([]);
    await api.store.memory.forgetExpired();
    expect(await vectorsOf('kept')).toEqual([]);
  });
});

describe('an embedding model that fails', () => {
  test('a failing embedding model loses no memory entry: entries are found by words, and by meaning once the model works', async () => {
    server.fail(503);
    expect(await put('late/rex', 'a dog')).toMatchObject({ status: 201 });
    expect([await find('late', 'dog'), await find('late', 'puppy')]).toEqual([['rex'], []]);
    await expect(embedDue()).rejects.toThrow(/503/);
    server.fail(null);
    await api.store.meaning?.embedDue(new AbortController().signal);
    expect(await find('late', 'puppy')).toEqual([]);
    await embedDue();
    expect(await find('late', 'puppy')).toEqual(['rex']);
  });

  test("a failing embedding model leaves no vector of an entry's earlier value", async () => {
    await put('late/felix', 'a dog');
    server.fail(503);
    await put('late/felix', 'a car');
    server.fail(null);
    expect(await find('late', 'puppy')).not.toContain('felix');
    expect(await vectorsOf('late')).toContain('felix');
  });

  test('an embedding model that fails for some texts does not delay the search for others', async () => {
    server.fail(500);
    for (const key of ['bad', 'good', 'well']) await put('odd/' + key, `a ${key} dog`);
    server.fail(400, /bad/);
    await embedDue();
    expect(await vectorsOf('odd')).toEqual(['good', 'well']);
    const before = server.asked.length;
    await api.store.meaning?.embedDue(new AbortController().signal);
    expect(server.asked.slice(before)).toEqual([]);
    expect(await find('odd', 'bad')).toEqual(['bad']);
  });
});

test('a new embedding model embeds all memory entries again, and search never compares vectors of two models', async () => {
  await put('moved/rex', 'a dog');
  const config = parseConfig('the test', embeddingSettings(server, { model: 'm2' }));
  const store = withMeaning(api.store, openEmbedder(config, {}), () => undefined);
  const filter = { tenantId: await tenantOf('moved'), namespace: 'moved', prefix: '' };
  const found = async () => (await store.memory.search(filter, 'puppy', 10)).items.map(({ key }) => key);
  expect(await found()).toEqual([]);
  await letTimePass();
  await store.meaning?.embedDue(new AbortController().signal);
  expect(await found()).toEqual(['rex']);
  expect(await find('moved', 'puppy')).toEqual([]);
});

const tenantOf = async (namespace: string): Promise<string> => {
  const { rows } = await api.store.database.query<{ tenant_id: string }>(
    'select tenant_id from memory where namespace = $1',
    [namespace],
  );
  return rows[0]?.tenant_id ?? '';
};

test('a database without pgvector is reported, and memory entries are searched by words', async () => {
  const database = await PGlite.create();
  const embedder = openEmbedder(parseConfig('the test', embeddingSettings(server)), {});
  const store = withMeaning(await openEmbeddedStore(database), embedder, () => undefined);
  const check = createMeaningCheck(store.meaning);
  await expect(check()).rejects.toThrow(NotReadyError);
  await expect(check()).rejects.toThrow(/no extension "vector" \(pgvector\)/);
  const at = { tenantId: 't', namespace: 'n', key: 'rex' };
  await store.memory.put(at, { value: 'a dog', expiresAt: null, by: 'me', runId: null });
  const search = async (query: string) =>
    (await store.memory.search({ ...at, prefix: '' }, query, 5)).items.map(({ key }) => key);
  expect([await search('dog'), await search('puppy')]).toEqual([['rex'], []]);
  await store.close();
  await database.close();
});

test('memory without an embedding model is searched by words, and needs no extension of PostgreSQL', async () => {
  const database = await PGlite.create();
  const opened = await openEmbeddedStore(database);
  const store = withMeaning(opened, openEmbedder(parseConfig('the test', {}), {}), () => undefined);
  expect(store).toBe(opened);
  await expect(createMeaningCheck(store.meaning)()).resolves.toBeUndefined();
  await store.close();
  await database.close();
});
