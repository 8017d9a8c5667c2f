import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../../src/client/index.ts';
import { listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

type Caller = 'user' | 'approver' | 'admin' | 'otherTenantUser';

const put = async (at: string, body: object, caller: Caller = 'user') =>
  await api.as(caller).send(`/api/memory/${at}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const remove = async (at: string) => await api.as('user').send(`/api/memory/${at}`, { method: 'DELETE' });
const keysOf = async (query: string): Promise<readonly string[]> => {
  const { body } = await api.as('user').get(`/api/memory/${query}`);
  return listAt(body, '/items').map((entry) => textAt(entry, '/key'));
};

describe('a memory entry', () => {
  test('a memory entry is created once, replaced, read and deleted', async () => {
    const first = await put('users/ann', { value: { language: 'de' } });
    expect(first).toMatchObject({
      status: 201,
      body: { namespace: 'users', key: 'ann', value: { language: 'de' }, expiresAt: null, by: expect.any(String) },
    });
    const second = await put('users/ann', { value: [1, null, '\0 \ud83d\ude00'] }, 'admin');
    expect(second).toMatchObject({ status: 200, body: { createdAt: textAt(first.body, '/createdAt') } });
    expect(textAt(second.body, '/by')).not.toBe(textAt(first.body, '/by'));
    expect((await api.as('approver').get('/api/memory/users/ann')).body).toEqual(second.body);
    expect([(await remove('users/ann')).status, (await remove('users/ann')).status]).toEqual([204, 204]);
    expect(await api.as('user').get('/api/memory/users/ann')).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });

  test('a memory entry belongs to its tenant', async () => {
    await put('users/theirs', { value: 1 });
    const other = api.as('otherTenantUser');
    expect(await other.get('/api/memory/users/theirs')).toMatchObject({ status: 404 });
    expect((await other.get('/api/memory/users')).body).toEqual({ items: [], nextCursor: null });
    await put('users/theirs', { value: 2 }, 'otherTenantUser');
    expect((await api.as('user').get('/api/memory/users/theirs')).body).toMatchObject({ value: 1 });
  });

  test('an expired memory entry is not readable at once, and then deleted', async () => {
    await put('short/lived', { value: 'old', ttl: '1ms' });
    await put('short/lasting', { value: 'new', ttl: '1d' });
    await expect.poll(async () => await keysOf('short')).toEqual(['lasting']);
    expect(await api.as('user').get('/api/memory/short/lived')).toMatchObject({ status: 404 });
    expect(await put('short/lived', { value: 'again' })).toMatchObject({ status: 201, body: { expiresAt: null } });
    await put('short/swept', { value: 1, ttl: '1ms' });
    await expect.poll(async () => await keysOf('short')).toEqual(['lasting', 'lived']);
    await api.store.memory.forgetExpired();
    expect(await keysOf('short')).toEqual(['lasting', 'lived']);
  });

  test.each([
    ['big/value', { value: 'x'.repeat(262_200) }, 413],
    ['a%00b/key', { value: 1 }, 422],
    [`${'n'.repeat(256)}/key`, { value: 1 }, 422],
    ['no/value', {}, 422],
    ['odd/ttl', { value: 1, ttl: 'soon' }, 422],
  ])('the memory entry %s is refused with %j', async (at, body, status) => {
    expect(await put(at, body)).toMatchObject({ status });
  });

  test('a memory entry is written by callers with the permission to do so', async () => {
    expect(await put('users/bob', { value: 1 }, 'approver')).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });
});

describe('a memory namespace', () => {
  beforeAll(async () => {
    for (const key of ['b/1', 'a', 'B', 'b/2', 'ä%_']) await put(`list/${encodeURIComponent(key)}`, { value: key });
    await put('words/soup', { value: { text: 'Ann likes tomato soup' } });
    await put('words/cake', { value: ['tomato cake', 'with tomato'] });
    await put('words/tea', { value: { deep: [{ er: 'green tea' }] } });
  });

  test('a memory namespace is listed by key, page by page', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1',
      token: api.tokens.user,
      fetch: async (url, init) => await api.request(url, init),
    });
    const keys: string[] = [];
    for await (const { key } of client.memory.list('list', { limit: 2 })) keys.push(key);
    expect(keys).toEqual(['B', 'a', 'b/1', 'b/2', 'ä%_']);
  });

  test('the list of a memory namespace is filtered by the prefix of keys, whatever characters it contains', async () => {
    expect(await keysOf('list?prefix=b/')).toEqual(['b/1', 'b/2']);
    expect(await keysOf(`list?prefix=${encodeURIComponent('ä%')}`)).toEqual(['ä%_']);
    expect(await keysOf('list?prefix=%25')).toEqual([]);
  });

  test.each([
    ['tomato', ['cake', 'soup']],
    ['"tomato soup"', ['soup']],
    ['tomato -cake', ['soup']],
    ['tea', ['tea']],
    ['tomato or tea', ['cake', 'soup', 'tea']],
    [`') or ''='`, []],
    ['\0', []],
  ])('a memory namespace is searched for %j', async (query, keys) => {
    const found = await keysOf(`words?query=${encodeURIComponent(query)}`);
    expect(found.toSorted()).toEqual(keys);
  });

  test('a memory search returns the best entries first, within the prefix', async () => {
    expect(await keysOf('words?query=tomato&limit=1')).toEqual(['cake']);
    expect(await keysOf('words?query=tomato&prefix=s')).toEqual(['soup']);
  });

  test('a query of a memory namespace refuses unknown parameters', async () => {
    expect(issuePathsOf(await api.as('user').get('/api/memory/words?search=x'))).toEqual(['/search']);
  });
});
