import { afterAll, beforeAll, expect, test } from 'vitest';
import { toJsonObject } from '../../../../src/graph/values/to-json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, errorsIn, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* An installation with low ceilings: requests above them are refused with the ceiling, the field and the amount. */

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    ceilings: { maxSteps: 30, attempts: 3, timeout: '2m', superstepTasks: 50, openCallsPerRun: 20 },
    tools: [{ name: 'pay', description: '', parameters: true, method: 'POST', url: 'https://pay.example/' }],
  });
});
afterAll(async () => await api.stop());

const pays = { type: 'tool', tool: 'pay', args: {} } as const;
const GREEDY = aDefinition({
  name: 'greedy',
  limits: { maxSteps: 31, maxConcurrency: 21 },
  defaults: { timeout: '3m', retry: { maxAttempts: 4 } },
  nodes: { a: { ...pays, timeout: '7d', retry: { maxAttempts: 1e9, initialInterval: '0ms' } }, b: pays },
  edges: [
    { from: '__start__', to: 'a' },
    { from: 'a', forEach: '[1]', to: 'b', maxConcurrency: 51 },
  ],
});
const FIELDS = [
  '/defaults/retry/maxAttempts',
  '/defaults/timeout',
  '/edges/1/maxConcurrency',
  '/limits/maxConcurrency',
  '/limits/maxSteps',
  '/nodes/a/retry/maxAttempts',
  '/nodes/a/timeout',
];
const ISSUES = FIELDS.map((path) => `INVALID_FIELD ${path}`);

test.each(['/api/graphs', '/api/runs'])(
  'a graph above the ceilings of the installation is refused by %s',
  async (path) => {
    const refused = await api.as('user').post(path, path === '/api/graphs' ? GREEDY : { graph: GREEDY, input: {} });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
    expect(errorsIn(refused)).toEqual(ISSUES);
  },
);

test('the validation of a graph above the ceilings names the ceiling, the field and the amount', async () => {
  const answer = await api.as('user').post('/api/graphs/validate', GREEDY);
  expect(errorsIn(answer)).toEqual(ISSUES);
  expect(at(answer.body, '/issues/0')).toMatchObject({
    path: '/limits/maxSteps',
    message: 'maxSteps is 31; this installation allows 30 (ceilings.maxSteps)',
  });
});

/** Publishes a graph as it would have been published under higher ceilings. */
async function publishedBefore(name: string): Promise<void> {
  const { name: _name, ...definition } = GREEDY;
  await api.store.graphs.publish({
    tenantId: 'demo',
    name,
    hash: `hash of ${name}`,
    definition: toJsonObject({ name, ...definition }),
    warnings: [],
    pins: {},
    createdAt: '2026-01-02T03:04:05Z',
    createdBy: 'uma',
  });
}

test('a graph that was published before the ceilings were lowered starts no runs', async () => {
  await publishedBefore('older');
  const refused = await api.as('user').post('/api/runs', { graph: 'older', input: {} });
  expect(refused).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
  expect(errorsIn(refused)).toEqual(ISSUES);
});

test('a graph that references a graph above the ceilings starts no runs', async () => {
  await publishedBefore('inside');
  const graph = aDefinition({ name: 'around', nodes: { a: { type: 'subgraph', graph: 'inside' } } });
  const refused = await api.as('user').post('/api/runs', { graph, input: {} });
  expect(errorsIn(refused)).toEqual(['INVALID_FIELD /nodes/a/graph']);
});

test('a run cannot request limits above the ceilings', async () => {
  const graph = aDefinition({ name: 'modest', limits: { maxSteps: 30 } });
  const refused = await api.as('user').post('/api/runs', { graph, input: {}, limits: { maxSteps: 31 } });
  expect(refused).toMatchObject(aProblem(422, 'LIMIT_TOO_LOOSE'));
  expect(issuePathsOf(refused)).toEqual(['/limits/maxSteps']);
  expect(textAt(refused.body, '/issues/0/message')).toContain('31 is over 30, and this installation allows 30');
});

test('a graph without limits gets the ceilings as limits', async () => {
  const { status, body } = await api.as('user').post('/api/runs', { graph: aDefinition(), input: {} });
  expect(status).toBe(201);
  expect(at(body, '/limits')).toEqual({ maxSteps: 25, maxConcurrency: 20 });
});
