import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

const set: Json = { type: 'set' };
const START: Json = { from: '__start__', to: 'a' };

/** A valid definition with some fields replaced. */
const base = (over: Readonly<Record<string, Json>>): Json => ({
  name: 'valid',
  nodes: { a: set, b: set },
  edges: [START, { from: 'a', to: 'b' }],
  ...over,
});
const edges = (...more: Json[]): Json => base({ edges: [START, { from: 'a', to: 'b' }, ...more] });
const node = (fields: Json): Json => base({ nodes: { a: fields, b: set } });
const child = (over: Readonly<Record<string, Json>>, rest: Readonly<Record<string, Json>> = {}): Json =>
  base({ nodes: { a: { type: 'subgraph', ...over }, b: set }, ...rest });

const found = (definition: Json, graphs?: Readonly<Record<string, GraphDefinition>>): string[] =>
  validateGraph(definition, graphs ? aCatalog({ graphs }) : aCatalog()).map(({ code, path }) => `${code} ${path}`);

describe('unreadable parts of a definition', () => {
  test.each<[string, Json, string[]]>([
    ['nodes', base({ nodes: 7, edges: [] }), ['INVALID_FIELD /nodes']],
    ['a node', base({ nodes: { a: set, b: set, c: 7 } }), ['INVALID_FIELD /nodes/c']],
    ['channels', base({ channels: { x: 7 } }), ['INVALID_FIELD /channels/x']],
    ['an edge', edges(7), ['INVALID_FIELD /edges/2']],
    ['a name in a list', edges({ from: ['b', 7], to: 'a' }), ['INVALID_FIELD /edges/2/from/1']],
    ['paths', edges({ from: 'b', route: "'x'", paths: 7 }), ['INVALID_FIELD /edges/2/paths']],
    ['branches', edges({ from: 'b', branches: 7 }), ['INVALID_FIELD /edges/2/branches']],
    ['a branch', edges({ from: 'b', branches: [7, { to: 'a' }] }), ['INVALID_FIELD /edges/2/branches/0']],
    ['a field of a branch', edges({ from: 'b', branches: [{ too: 'a' }] }), ['INVALID_FIELD /edges/2/branches/0']],
    ['a target', edges({ from: 'b', branches: [{ to: 'c' }] }), ['UNKNOWN_NODE /edges/2/branches/0/to']],
  ])(
    'an unreadable part of a definition is reported, and everything else is checked: %s',
    (...[, definition, expected]) => {
      expect(found(definition)).toEqual(expect.arrayContaining(expected));
    },
  );
});

describe('a wait', () => {
  test.each<[Json, string[]]>([
    [{ type: 'wait', for: '5s' }, []],
    [{ type: 'wait', for: '{{ "5s" }}' }, []],
    [{ type: 'wait', until: '2026-03-01T12:00:00Z' }, []],
    [{ type: 'wait', event: 'go', timeout: '1h' }, []],
    [{ type: 'wait' }, ['INVALID_FIELD /nodes/a']],
    [{ type: 'wait', for: '5s', event: 'go' }, ['INVALID_FIELD /nodes/a/event']],
    [{ type: 'wait', for: '5s', timeout: '1h' }, ['INVALID_FIELD /nodes/a/timeout']],
    [{ type: 'wait', for: 'soon' }, ['INVALID_DURATION /nodes/a/for']],
    [{ type: 'wait', until: 'tomorrow' }, ['INVALID_FIELD /nodes/a/until']],
    [{ type: 'wait', until: 7 }, ['INVALID_FIELD /nodes/a/until']],
  ])('the wait node %j has the issues %j', (fields, expected) => {
    expect(found(node(fields))).toEqual(expected);
  });
});

describe('the default of a channel of messages', () => {
  test.each<[Json, string[]]>([
    [[], []],
    [[{ id: 'm', role: 'user', content: 'x' }], []],
    [[{ role: 'user', content: 'x' }], []],
    ['x', ['INVALID_DEFAULT /channels/c/default']],
    [[{ role: 'user' }], ['INVALID_DEFAULT /channels/c/default']],
  ])('the default %j of a channel of messages has the issues %j', (value, expected) => {
    const definition = base({ channels: { c: { reducer: 'messages', default: value } }, output: ['c'] });
    expect(found(definition)).toEqual(expected);
  });
});

describe('a graph inside', () => {
  const leaf = aDefinition({ channels: { x: {} }, input: ['x'] });
  const around = aDefinition({ nodes: { s: { type: 'subgraph', graph: 'valid@2' } } });
  const graphs = { leaf, around, far: aDefinition({ nodes: { s: { type: 'subgraph', graph: 'around' } } }) };

  test.each<[string, Json, string[]]>([
    ['that does not exist', child({ graph: 'leav' }), ['UNKNOWN_GRAPH /nodes/a/graph']],
    ['that contains it', child({ graph: 'around' }), ['RECURSIVE_SUBGRAPH /nodes/a/graph']],
    ['that contains it further down', child({ graph: 'far' }), ['RECURSIVE_SUBGRAPH /nodes/a/graph']],
    ['that is an inline copy of the graph', child({ graph: 'valid' }), ['RECURSIVE_SUBGRAPH /nodes/a/graph']],
    ['that gets an undeclared input', child({ graph: 'leaf', input: { y: 1 } }), ['UNKNOWN_CHANNEL /nodes/a/input/y']],
    [
      'without channels that gets something',
      child({ graph: { name: 'in', nodes: { n: set }, edges: [{ from: '__start__', to: 'n' }] }, input: { y: 1 } }),
      ['UNKNOWN_CHANNEL /nodes/a/input/y'],
    ],
    ['of a graph without a name', child({ graph: 'leaf' }, { name: 7 }), ['INVALID_FIELD /name']],
    ['that is broken', child({ graph: { name: 'in', nodes: {}, edges: 7 } }), ['INVALID_FIELD /nodes/a/graph/edges']],
  ])('an inner graph is reported: one %s', (...[, definition, expected]) => {
    expect(found(definition, graphs)).toEqual(expect.arrayContaining(expected));
  });

  test('an inner graph has no issues if it is named and exists', () => {
    expect(found(child({ graph: 'leaf', input: { x: 1 } }), graphs)).toEqual([]);
  });

  test('a named inner graph is reported if no graph exists', () => {
    const [issue] = validateGraph(child({ graph: 'leav' }), aCatalog());
    expect(issue).toMatchObject({ code: 'UNKNOWN_GRAPH', message: 'There is no graph "leav".' });
  });

  test('an inner graph is reported with a suggestion if its name is misspelt', () => {
    const [issue] = validateGraph(child({ graph: 'leav' }), aCatalog({ graphs }));
    expect(issue?.message).toContain('Did you mean "leaf"');
  });
});
