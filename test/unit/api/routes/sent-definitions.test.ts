import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
const inner = aDefinition({ name: 'inner' });
const outer = aDefinition({
  name: 'outer',
  nodes: { sub: { type: 'subgraph', graph: 'inner' } },
  edges: [{ from: '__start__', to: 'sub' }],
});
const [plain, gone] = [aDefinition({ name: 'plain' }), aDefinition({ name: 'gone' })];
beforeAll(async () => {
  api = await startTestApi({});
  for (const graph of [{ ...plain, description: 'older' }, plain, gone, inner, outer])
    await api.as('user').post('/api/graphs', toJson(graph));
  const headers = { authorization: `Bearer ${api.tokens.user}` };
  await api.request('/api/graphs/gone/versions/1', { method: 'DELETE', headers });
});
afterAll(async () => {
  await api.stop();
});

/** Starts a run of a definition that is sent along. @returns the version that the run has */
async function versionOf(graph: GraphDefinition, caller: 'user' | 'otherTenantUser' = 'user'): Promise<unknown> {
  const started = await api.as(caller).post('/api/runs', toJson({ graph, input: {} }));
  const { body } = await api.as(caller).get(`/api/runs/${textAt(started.body, '/id')}`);
  expect(textAt(body, '/graph/name')).toBe(graph.name);
  return at(body, '/graph/version');
}

test.each<[string, GraphDefinition, number | null]>([
  ['the current version', plain, 2],
  ['an earlier version', { ...plain, description: 'older' }, 1],
  ['other content', { ...plain, description: 'new' }, null],
  ['an unpublished version', gone, null],
  ['a version whose subgraph has not changed', outer, 1],
])('the version of a run whose definition is sent along is found by the content: %s', async (_what, graph, version) => {
  expect(await versionOf(graph)).toBe(version);
});

test('a definition that is sent along is no version of another tenant', async () => {
  expect(await versionOf(plain, 'otherTenantUser')).toBeNull();
});

test('a definition that is sent along is no published version once its subgraph has a newer one', async () => {
  await api.as('user').post('/api/graphs', toJson({ ...inner, description: 'newer' }));
  expect(await versionOf(outer)).toBeNull();
});
