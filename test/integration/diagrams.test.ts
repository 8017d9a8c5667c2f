import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tokens } from '../../src/dev/issuer.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { readDescription } from '../support/readers/api-description.ts';
import { startRun } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { parseMermaid } from '../support/readers/mermaid.ts';
import { parsePlantUml } from '../support/readers/plant-uml.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({});
  await stack.as('user').post('/api/graphs', forked('forked'));
});
afterAll(async () => {
  await stack.stop();
});

/** A graph that branches by its input, then requests an approval. */
function forked(name: string): GraphDefinition {
  return aDefinition({
    name,
    channels: { kind: {}, log: { reducer: 'append' } },
    nodes: {
      sort: { type: 'set', write: { log: 'sort' } },
      left: { type: 'set', write: { log: 'left' } },
      right: { type: 'set', write: { log: 'right' } },
      ask: { type: 'approval', title: 'Sure?', write: 'kind' },
    },
    edges: [
      { from: '__start__', to: 'sort' },
      { from: 'sort', branches: [{ when: "state.kind == 'l'", to: 'left' }, { to: 'right' }] },
      { from: 'left', to: 'ask' },
      { from: 'ask', branches: [{ when: 'state.kind != null', to: '__end__' }, { to: 'right' }] },
    ],
  });
}

const ask = async (path: string, caller: keyof Tokens = 'user') => await stack.as(caller).get(`/api/graphs/${path}`);

async function draw(path: string, caller: keyof Tokens = 'user'): Promise<string> {
  const headers = { authorization: `Bearer ${stack.tokens[caller]}` };
  const response = await fetch(new URL(`/api/graphs/${path}`, stack.baseUrl), { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=UTF-8']);
  return await response.text();
}

describe('a diagram', () => {
  test('a diagram of a graph is a Mermaid flowchart by default', async () => {
    const { shapes, classes } = await parseMermaid(await draw('forked/diagram'));
    expect([...shapes.keys()]).toEqual(['begin', 'finish', 'n_sort', 'n_left', 'n_right', 'n_ask']);
    expect(classes.size).toBe(0);
    expect(await draw('forked/diagram?format=mermaid')).toBe(await draw('forked/diagram'));
  });

  test('a diagram of a graph is a PlantUML state diagram on request', async () => {
    const { states } = parsePlantUml(await draw('forked/diagram?format=plantuml'));
    expect([...states.keys()]).toEqual(['n_sort', 'n_left', 'n_right', 'n_ask']);
  });

  test('a diagram of a graph may be read by approvers', async () => {
    expect(await draw('forked/diagram', 'approver')).toContain('n_sort');
  });

  test.each([
    ['nobody/diagram', 404, 'NOT_FOUND'],
    ['forked/diagram?format=svg', 422, 'INVALID_REQUEST'],
    ['forked/diagram?run=01JZZZZZZZZZZZZZZZZZZZZZZZ', 404, 'UNKNOWN_RUN'],
    ['forked/diagram?run=', 422, 'INVALID_REQUEST'],
  ])('the diagram request %s is refused with %i %s', async (path, status, code) => {
    expect(await ask(path)).toMatchObject(aProblem(status, code));
  });

  test('a diagram of a graph with an unknown format is refused with a pointer to the parameter', async () => {
    expect(issuePathsOf(await ask('forked/diagram?format=svg'))).toEqual(['/format']);
  });

  test('a diagram of a graph needs a token', async () => {
    expect(await stack.stranger.get('/api/graphs/forked/diagram')).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
  });

  test('a diagram of a graph of another tenant is not found', async () => {
    expect(await ask('forked/diagram', 'otherTenantUser')).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });

  test('the responses of the diagram endpoint are described in the OpenAPI document', async () => {
    const api = await readDescription(stack.stranger);
    expect(api.routes).toContain('GET /api/graphs/{name}/diagram');
    const { body } = await stack.stranger.get('/openapi.json');
    expect(at(body, '/paths/~1api~1graphs~1{name}~1diagram/get/responses/200/content/text~1plain')).toBeDefined();
  });
});

describe('a diagram of a run', () => {
  let runId: string;
  beforeAll(async () => {
    runId = textAt(await startRun(stack.as('user'), 'forked', { kind: 'l' }), '/id');
  });

  test('a diagram of a run marks visited and current nodes', async () => {
    const { classes } = await parseMermaid(await draw(`forked/diagram?run=${runId}`));
    expect(Object.fromEntries(classes)).toEqual({ n_sort: ['visited'], n_left: ['visited'], n_ask: ['current'] });
    const { states } = parsePlantUml(await draw(`forked/diagram?run=${runId}&format=plantuml`));
    const colored = [...states].filter(([, { colors }]) => colors.includes('line')).map(([key]) => key);
    expect(colored).toEqual(['n_sort', 'n_left', 'n_ask']);
  });

  test('a diagram of a run marks no node as current when the run has ended', async () => {
    await stack.as('approver').post(`/api/runs/${runId}/approve`, {});
    await stack.as('user').untilRun(runId, (run) => textAt(run, '/status') === 'completed');
    const { classes } = await parseMermaid(await draw(`forked/diagram?run=${runId}`));
    expect(Object.fromEntries(classes)).toEqual({ n_sort: ['visited'], n_left: ['visited'], n_ask: ['visited'] });
  });

  test('a diagram of a run draws the version that the run executes, although a newer one was published', async () => {
    await stack.as('user').post('/api/graphs', aDefinition({ name: 'forked' }));
    expect(await draw('forked/diagram')).not.toContain('n_sort');
    expect(await draw(`forked/diagram?run=${runId}`)).toContain('n_sort');
  });

  test('a diagram of a run draws an unpublished definition', async () => {
    const run = await startRun(stack.as('user'), aDefinition({ name: 'given-whole' }));
    const { classes } = await parseMermaid(await draw(`given-whole/diagram?run=${textAt(run, '/id')}`));
    expect(Object.fromEntries(classes)).toEqual({ n_a: ['visited'] });
  });

  test('a diagram of a run is not found for a run of another graph or of another tenant', async () => {
    await stack.as('user').post('/api/graphs', aDefinition({ name: 'unrelated' }));
    expect(await ask(`unrelated/diagram?run=${runId}`)).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
    expect(await ask(`forked/diagram?run=${runId}`, 'otherTenantUser')).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
    expect(await draw(`forked/diagram?run=${runId}`, 'admin')).toContain('n_sort');
  });
});
