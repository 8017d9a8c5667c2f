import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { isJsonObject } from '../../../../src/graph/values/json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { readAll } from '../../../support/readers/api-runs.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, errorsIn, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

const publish = async (definition: unknown) => await api.as('user').post('/api/graphs', definition);
const validate = async (definition: unknown) => await api.as('user').post('/api/graphs/validate', definition);
const read = async (path: string) => await api.as('user').get(`/api/graphs${path}`);

/** A definition that differs from others with its name by the text that its only node writes. */
function aVersion(name: string, text = 'a'): GraphDefinition {
  return aDefinition({ name, nodes: { a: { type: 'set', write: { log: text } } } });
}

/** Five errors, and where they are. */
const MISTAKEN = {
  name: 'mistaken',
  channels: { log: { reducer: 'append' }, total: { reducer: 'sum', default: 'none' } },
  nodes: {
    a: { type: 'set', write: { logs: 'x' } },
    b: { type: 'tool', tool: 'nothing' },
    c: { type: 'approval', title: 'Sure?', timeout: 'soon' },
  },
  edges: [
    { from: '__start__', to: ['a', 'b', 'c'] },
    { from: 'a', branches: [{ when: 'state.total >', to: '__end__' }, { to: '__end__' }] },
  ],
};
const MISTAKES = [
  'INVALID_DEFAULT /channels/total/default',
  'INVALID_DURATION /nodes/c/timeout',
  'INVALID_EXPRESSION /edges/1/branches/0/when',
  'UNKNOWN_CHANNEL /nodes/a/write/logs',
  'UNKNOWN_TOOL /nodes/b/tool',
];

describe('publishing', () => {
  test('a graph with a new name is published as version 1', async () => {
    const definition = aVersion('fresh');
    expect(await publish(definition)).toMatchObject({
      status: 201,
      body: { name: 'fresh', version: 1, definition, warnings: [], createdBy: 'uma', hash: expect.stringMatching(/./) },
    });
  });

  test('publishing the same graph again, in another order of keys, gives the same version', async () => {
    const { body: first } = await publish(aVersion('again'));
    const reordered = Object.fromEntries(Object.entries(aVersion('again')).reverse());
    expect(await publish(reordered)).toMatchObject({
      status: 200,
      body: { ...toGraph(first), outcome: 'unchanged', replaced: null },
    });
  });

  test('changed content of a graph is published as the next version, and the previous one is kept', async () => {
    const { body: first } = await publish(aVersion('changing', 'one'));
    expect(await publish(aVersion('changing', 'two'))).toMatchObject({ status: 201, body: { version: 2 } });
    expect((await read('/changing/versions/1')).body).toEqual({ ...toGraph(first), current: false });
    expect((await read('/changing')).body).toMatchObject({ version: 2 });
  });

  test('publishing the content of an older graph version makes its name mean that version', async () => {
    await publish(aVersion('older', 'one'));
    await publish(aVersion('older', 'two'));
    expect(await publish(aVersion('older', 'one'))).toMatchObject({
      status: 200,
      body: { version: 1, outcome: 'restored', replaced: 2, current: true },
    });
    expect((await read('/older')).body).toMatchObject({ version: 1, current: true });
  });

  test('concurrent publications of a graph get different versions', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(texts.map((text) => publish(aVersion('crowded', text))));
    expect(new Set(answers.map(({ body }) => at(body, '/version')))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  });

  test('the same graph published concurrently is new only once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => publish(aVersion('twins'))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(toGraph(body)))).size).toBe(1);
  });

  test('warnings about a graph are returned and do not prevent publishing', async () => {
    const branches = [{ when: 'size(state.log) > 9', to: '__end__' }];
    const doubtful = aDefinition({
      name: 'doubtful',
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', branches },
      ],
    });
    const warnings = [{ code: 'DEAD_END_BRANCH', severity: 'warning', path: '/edges/1' }];
    expect(await publish(doubtful)).toMatchObject({ status: 201, body: { warnings } });
  });
});

/** The graph in the answer to its publication. */
function toGraph(answer: Json): JsonObject {
  return isJsonObject(answer)
    ? Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'outcome' && name !== 'replaced'))
    : {};
}

describe('a definition with errors', () => {
  test('an invalid graph definition is refused with all its issues, each with a pointer', async () => {
    const answer = await publish(MISTAKEN);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
    expect(errorsIn(answer)).toEqual(MISTAKES);
  });

  test('an invalid graph definition is not published', async () => {
    await publish(MISTAKEN);
    expect(await read('/mistaken')).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });

  test('an unknown name in a graph definition is answered with the nearest valid name', async () => {
    const { body } = await publish(aDefinition({ name: 'near', nodes: { a: { type: 'set', write: { lob: 'x' } } } }));
    expect(textAt(body, '/issues/0/message')).toContain('"log"');
  });

  const unknownFields: readonly [string, JsonObject, string][] = [
    ['the graph', { edge: [] }, '/edge'],
    ['a channel', { channels: { log: { reducer: 'append', initial: [] } } }, '/channels/log/initial'],
    ['a node', { nodes: { a: { type: 'set', write: { log: 'a' }, writes: 'log' } } }, '/nodes/a/writes'],
    ['an edge', { edges: [{ from: '__start__', to: 'a', if: 'true' }] }, '/edges/0/if'],
    ['the limits', { limits: { maxStep: 1 } }, '/limits/maxStep'],
  ];
  test.each(unknownFields)('an unknown field of a graph definition is an error: %s', async (_where, over, path) => {
    expect(errorsIn(await publish({ ...aVersion('odd'), ...over }))).toEqual([`INVALID_FIELD ${path}`]);
  });

  test.each([[null], [[]], ['text'], [7]])('the value %j is refused as a graph definition', async (body) => {
    expect(await publish(body)).toMatchObject({ status: 422, body: { issues: [{ path: '' }] } });
  });
});

describe('a large definition', () => {
  const described = (description: string) => ({ ...aVersion('large'), description });

  test.each([
    ['letters', 'x'.repeat(1_048_576)],
    ['letters of three bytes each', '€'.repeat(400_000)],
  ])('a graph definition of more than 1 MiB of %s is refused', async (_what, text) => {
    const answer = await publish(described(text));
    expect(answer).toMatchObject(aProblem(413, 'GRAPH_TOO_LARGE'));
    expect(errorsIn(answer)).toEqual(['GRAPH_TOO_LARGE ']);
  });

  test('a graph definition below 1 MiB is accepted', async () => {
    expect(await publish(described('x'.repeat(1_000_000)))).toMatchObject({ status: 201 });
  });

  test('a request body over 4 MiB is not read', async () => {
    expect(await publish(described('x'.repeat(4 * 1_048_576)))).toMatchObject(aProblem(413, 'BODY_TOO_LARGE'));
  });

  test('a graph definition may not have more than 2,000 nodes', async () => {
    const ids = Array.from({ length: 2_001 }, (_, index) => `n${index}`);
    const nodes = Object.fromEntries(ids.map((id) => [id, { type: 'set', write: { log: 'x' } } as const]));
    expect(errorsIn(await validate(aDefinition({ nodes })))).toEqual(['GRAPH_TOO_LARGE /nodes']);
  });

  test('a graph definition may not refer to more graphs than are looked up', async () => {
    const tools = Array.from({ length: 2_001 }, (_, index) => ({ graph: `g${index}` }));
    const definition = aDefinition({ nodes: { a: { type: 'agent', prompt: 'p', tools } } });
    const found = await validate(definition);
    expect([found.status, errorsIn(found)]).toEqual([200, ['GRAPH_TOO_LARGE ']]);
    expect(await publish(definition)).toMatchObject(aProblem(413, 'GRAPH_TOO_LARGE'));
  });
});

describe('validating', () => {
  test('the validation finds no issue in a valid graph definition, and publishes nothing', async () => {
    expect(await validate(aVersion('tried'))).toMatchObject({ status: 200, body: { valid: true, issues: [] } });
    expect(await read('/tried')).toMatchObject({ status: 404 });
  });

  test('the validation finds what publishing a graph would refuse', async () => {
    const { status, body } = await validate(MISTAKEN);
    expect({ status, valid: at(body, '/valid'), errors: errorsIn({ body }) }).toEqual({
      status: 200,
      valid: false,
      errors: MISTAKES,
    });
  });

  test('users with the role approver may validate graph definitions', async () => {
    expect(await api.as('approver').post('/api/graphs/validate', aVersion('tried'))).toMatchObject({ status: 200 });
  });
});

describe('reading graphs', () => {
  test.each([
    ['/nobody', 404],
    ['/nobody/versions/1', 404],
    ['/known/versions/2', 404],
    ['/known/versions/0', 422],
    ['/known/versions/first', 422],
    ['?limit=0', 422],
    ['?limit=201', 422],
    ['?cursor=made-up', 400],
  ])('reading the graph path %s is refused with %i', async (path, status) => {
    await publish(aVersion('known'));
    const { status: given, body } = await read(path);
    expect({ given, told: at(body, '/status') }).toEqual({ given: status, told: status });
  });

  test('an invalid parameter of a graph request is named in the issues', async () => {
    expect(issuePathsOf(await read('?limit=many'))).toEqual(['/limit']);
  });

  test('the list of graphs has the newest version of every name, by name, whatever the page size', async () => {
    for (const name of ['list-c', 'list-a', 'list-b']) await publish(aVersion(name));
    await publish(aVersion('list-b', 'changed'));
    const graphs = await readAll(api.as('user'), '/api/graphs', 2);
    const names = graphs.map((graph) => textAt(graph, '/name'));
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(graphs.filter((_, index) => names[index]?.startsWith('list-'))).toMatchObject([
      { name: 'list-a', version: 1 },
      { name: 'list-b', version: 2 },
      { name: 'list-c', version: 1 },
    ]);
  });
});

describe('another tenant', () => {
  test('a tenant sees no graph of another tenant, neither in the list nor by name', async () => {
    await publish(aVersion('private'));
    const other = api.as('otherTenantUser');
    const [list, foreign, missing] = await Promise.all(
      ['', '/private', '/missing'].map((path) => other.get(`/api/graphs${path}`)),
    );
    expect(list?.body).toEqual({ items: [], nextCursor: null });
    expect(JSON.stringify(foreign?.body)).toBe(JSON.stringify(missing?.body).replaceAll('missing', 'private'));
  });

  test('each tenant has its own graph version numbers', async () => {
    await publish(aVersion('shared', 'one'));
    await publish(aVersion('shared', 'two'));
    expect(await api.as('otherTenantUser').post('/api/graphs', aVersion('shared', 'two'))).toMatchObject({
      status: 201,
      body: { version: 1 },
    });
  });
});
