import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

test('a run with missing input is refused at its start', async () => {
  const graph = {
    name: 'needs',
    channels: { a: { default: 1 }, b: {} },
    nodes: { n: { type: 'set', write: { b: 1 } } },
    edges: [{ from: '__start__', to: 'n' }],
    required: ['a'],
  };
  const refused = await api.as('user').post('/api/runs', { graph, input: { b: 1 } });
  expect(refused).toMatchObject({ status: 422, body: { code: 'MISSING_INPUT', issues: [{ path: '/input' }] } });
  expect(await api.as('user').post('/api/runs', { graph, input: { a: null } })).toMatchObject({ status: 201 });
});
