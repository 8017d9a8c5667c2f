import { afterAll, beforeAll, expect, test } from 'vitest';
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

const NODES = 500;

/** A graph with a number of nodes whose names are similar to a wrong one. */
function aWideGraph() {
  const ids = Array.from({ length: NODES }, (_, at) => `node-number-${at}`);
  const node = { type: 'set', write: { a: 1 } };
  return {
    name: 'wide',
    channels: { a: { reducer: 'append' } },
    nodes: Object.fromEntries(ids.map((id) => [id, node])),
    edges: [{ from: '__start__', to: ids }],
  };
}

const wrong = (count: number): string[] => Array.from({ length: count }, (_, at) => `node-numbers-${at}`);

test('wrong breakpoints of both lists share one budget of name comparisons', async () => {
  const body = { graph: aWideGraph(), interruptBefore: wrong(400), interruptAfter: wrong(400) };
  const answer = await api.as('user').post('/api/runs', body);
  expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
  const issues = listAt(answer.body, '/issues');
  const suggested = issues.filter((issue) => textAt(issue, '/message').includes('Did you mean'));
  expect(issues).toHaveLength(800);
  expect(suggested.length).toBeGreaterThan(0);
  expect(suggested.length).toBeLessThanOrEqual(10_000 / NODES + 1);
});

test('a run may have as many breakpoints as a graph may have nodes, and no more', async () => {
  const ids = (count: number): string[] => Array.from({ length: count }, () => 'node-number-1');
  const start = async (body: object) => await api.as('user').post('/api/runs', { graph: aWideGraph(), ...body });
  expect(await start({ interruptBefore: ids(2_000), interruptAfter: ids(2_000) })).toMatchObject({ status: 201 });
  const refused = await start({ interruptBefore: ids(2_001), interruptAfter: ids(2_001) });
  expect(refused).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
  expect(issuePathsOf(refused)).toEqual(['/interruptBefore', '/interruptAfter']);
});
