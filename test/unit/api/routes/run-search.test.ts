import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../../src/client/index.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { listAt, textAt } from '../../../support/readers/json-at.ts';
import { issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let ids: readonly string[];
const METADATA = [
  { order: 'A-1', urgent: true },
  { order: 'A-1', urgent: false, amount: 3 },
  { order: 'A-2\0', nested: { order: 'A-1' }, broken: '\ud800' },
];
beforeAll(async () => {
  api = await startTestApi();
  const started: string[] = [];
  for (const metadata of METADATA) {
    const { body } = await api.as('user').post('/api/runs', { graph: aDefinition({ name: 'searched' }), metadata });
    started.push(textAt(body, '/id'));
  }
  ids = started;
});
afterAll(async () => {
  await api.stop();
});

/** The runs that a search finds, by number. */
const found = async (query: string): Promise<readonly number[]> => {
  const { body } = await api.as('user').get(`/api/runs?${query}`);
  return listAt(body, '/items')
    .map((run) => ids.indexOf(textAt(run, '/id')))
    .toSorted((a, b) => a - b);
};

describe('searching runs', () => {
  test.each([
    ['metadata=order:A-1', [0, 1]],
    ['metadata=order:A-1&metadata=urgent:true', [0]],
    ['metadata=amount:3', [1]],
    ['metadata=order:A-2%00', [2]],
    ['metadata=order:A', []],
    ['metadata=nested:A-1', []],
    ['status=completed', []],
    ['status=completed,queued&graph=searched', [0, 1, 2]],
    ['createdBefore=2020-01-01T00:00:00Z', []],
    ['createdBefore=2100-01-01T00:00:00Z&createdAfter=2020-01-01T00:00:00Z', [0, 1, 2]],
    ['parentRunId=nobody', []],
  ])('runs are found by the search query %s', async (query, numbers) => {
    expect(await found(query)).toEqual(numbers);
  });

  test('runs are found by the TypeScript client, with several values of a parameter', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1',
      token: api.tokens.user,
      fetch: async (url, init) => await api.request(url, init),
    });
    const page = await client.runs.list({ status: ['queued', 'failed'], metadata: { urgent: false } }).page();
    expect(page.items.map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('a run search finds runs of the caller’s tenant only', async () => {
    const { body } = await api.as('otherTenantUser').get('/api/runs?metadata=order:A-1');
    expect(body).toEqual({ items: [], nextCursor: null });
  });
});

test.each([
  ['metadata=order', '/metadata/0'],
  ['status=done', '/status'],
  ['status=failed,', '/status'],
  ['graph=a&graph=b', '/graph'],
  [Array.from({ length: 11 }, (_, index) => `metadata=a:${index}`).join('&'), '/metadata'],
  ['metadata.order=A-1', '/metadata.order'],
])('the run search refuses the query %s', async (query, path) => {
  expect(issuePathsOf(await api.as('user').get(`/api/runs?${query}`))).toEqual([path]);
});

test('runs are found by the first 64 fields of their metadata only', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`f${index}`, 'x'.repeat(5_000)]));
  const { status } = await api.as('user').post('/api/runs', { graph: aDefinition({ name: 'wide' }), metadata });
  const find = async (field: string) => await api.as('user').get(`/api/runs?metadata=${field}:${'x'.repeat(5_000)}`);
  const [last, none] = [await find('f63'), await find('f64')];
  expect([status, listAt(last.body, '/items').length, listAt(none.body, '/items').length]).toEqual([201, 1, 0]);
});

describe('selecting many runs by a filter', () => {
  /** The runs that a bulk request with a filter would cancel. The body is a text, because objects lose `__proto__`. */
  const choose = async (metadata: string) =>
    await api.as('user').send('/api/runs/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"action":"cancel","dryRun":true,"filter":{"metadata":${metadata}}}`,
    });

  test.each([
    ['{"order":"A-1","urgent":true}', [0]],
    ['{"amount":3}', [1]],
    ['{"__proto__":"x"}', []],
    ['{"__proto__":"x","order":"A-1"}', []],
    ['{"constructor":"x"}', []],
  ])('many runs are selected by metadata %s', async (metadata, numbers) => {
    const { body } = await choose(metadata);
    expect(listAt(body, '/done').map((id) => ids.findIndex((one) => one === id))).toEqual(numbers);
  });

  test.each([
    ['{}', '/filter/metadata'],
    ['[]', '/filter/metadata'],
    ['{"__proto__":{}}', '/filter/metadata/__proto__'],
    ['{"order":null}', '/filter/metadata/order'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`field${index}`, 1]))),
      '/filter/metadata',
    ],
  ])('selecting many runs by metadata %s is refused', async (metadata, path) => {
    const answer = await choose(metadata);
    expect([answer.status, issuePathsOf(answer)]).toEqual([422, [path]]);
  });
});
