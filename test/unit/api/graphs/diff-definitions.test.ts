import { expect, test } from 'vitest';
import { diffDefinitions } from '../../../../src/api/graphs/diff-definitions.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';

const BEFORE: JsonObject = {
  name: 'g',
  channels: { a: { reducer: 'append' }, gone: {} },
  nodes: { one: { type: 'set', write: { a: 1 } }, two: { type: 'set', write: {} } },
  edges: [
    { from: '__start__', to: 'one' },
    { from: 'one', to: '__end__' },
  ],
  input: ['a'],
};

test('two graph definitions with equal content have no differences, whatever the order of keys and edges', () => {
  const edges = Array.isArray(BEFORE['edges']) ? BEFORE['edges'].toReversed() : [];
  expect(diffDefinitions(BEFORE, Object.fromEntries(Object.entries({ ...BEFORE, edges }).toReversed()))).toEqual([]);
});

test('graph definitions are compared by field for nodes and channels, limits one by one, edges as a set, the rest as a whole', () => {
  const after = {
    ...BEFORE,
    channels: { a: { reducer: 'sum' } },
    nodes: { one: { type: 'set', write: { a: 2 } }, three: { type: 'set' } },
    edges: [
      { from: '__start__', to: 'one' },
      { from: 'one', to: 'three' },
    ],
    input: ['a', 'b'],
    limits: { maxSteps: 9 },
  };
  expect(diffDefinitions(BEFORE, after)).toEqual([
    { kind: 'changed', path: '/channels/a/reducer', before: 'append', after: 'sum' },
    { kind: 'removed', path: '/channels/gone', before: {} },
    { kind: 'changed', path: '/nodes/one/write', before: { a: 1 }, after: { a: 2 } },
    { kind: 'removed', path: '/nodes/two', before: { type: 'set', write: {} } },
    { kind: 'added', path: '/nodes/three', after: { type: 'set' } },
    { kind: 'removed', path: '/edges/1', before: { from: 'one', to: '__end__' } },
    { kind: 'added', path: '/edges/1', after: { from: 'one', to: 'three' } },
    { kind: 'changed', path: '/input', before: ['a'], after: ['a', 'b'] },
    { kind: 'added', path: '/limits', after: { maxSteps: 9 } },
  ]);
});

test('removing one of two equal edges is one difference between graph definitions', () => {
  const edge = { from: 'a', to: 'b' };
  expect(diffDefinitions({ edges: [edge, edge] }, { edges: [edge] })).toMatchObject([{ kind: 'removed' }]);
});
