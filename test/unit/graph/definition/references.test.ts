import { describe, expect, test } from 'vitest';
import { orderByReferences, referencesIn, replaceReferences } from '../../../../src/graph/definition/references.ts';

describe('references of a definition to published graphs', () => {
  const inner = { nodes: { s: { type: 'subgraph', graph: 'b' }, t: { type: 'set' } } };
  const definition = {
    nodes: {
      one: { type: 'subgraph', graph: 'a', write: 'x' },
      two: { type: 'subgraph', graph: inner },
      bad: { type: 'subgraph', graph: 7 },
      none: { type: 'subgraph' },
      text: 'no node',
      set: { type: 'set', graph: 'not one' },
      agent: { type: 'agent', tools: ['pay', { memory: 'm' }, { graph: 'c' }, { graph: 7 }, 7] },
      own: { type: 'own', tools: [{ graph: 'not one' }] },
    },
  };

  test('references to published graphs are found, including those in subgraphs and among tools', () => {
    expect(referencesIn(definition)).toEqual(['a', 'b', 'c']);
    expect([referencesIn(7), referencesIn({}), referencesIn({ nodes: 7 })]).toEqual([[], [], []]);
  });

  test('references to published graphs are replaced, including those in subgraphs and among tools, and nothing else is', () => {
    expect(replaceReferences(definition, (name) => `${name}@3`)).toEqual({
      nodes: {
        ...definition.nodes,
        one: { type: 'subgraph', graph: 'a@3', write: 'x' },
        two: { type: 'subgraph', graph: { nodes: { ...inner.nodes, s: { type: 'subgraph', graph: 'b@3' } } } },
        agent: { type: 'agent', tools: ['pay', { memory: 'm' }, { graph: 'c@3' }, { graph: 7 }, 7] },
      },
    });
  });

  test.each([{}, { nodes: 7 }, { nodes: {} }, { nodes: { t: { type: 'set' } } }])(
    'replacing references to graphs leaves the definition %j unchanged',
    (plain) => {
      expect(replaceReferences(plain, () => 'x')).toBe(plain);
    },
  );
});

const naming = (name: string, ...graphs: string[]) => ({
  name,
  nodes: Object.fromEntries(graphs.map((graph, at) => [`n${at}`, { type: 'subgraph', graph }])),
});

test.each([
  ['without references', [naming('a'), naming('b')], ['a', 'b']],
  ['that refer to later ones', [naming('a', 'c'), naming('b'), naming('c', 'b@2')], ['b', 'c', 'a']],
  ['that refer to other graphs', [naming('a', 'elsewhere'), naming('b')], ['a', 'b']],
  ['that refer to each other', [naming('a', 'b'), naming('b', 'a')], ['b', 'a']],
  ['that refer to themselves', [naming('a', 'a'), naming('b')], ['a', 'b']],
])('definitions %s are ordered so that each comes after those that it refers to', (_, definitions, expected) => {
  expect(orderByReferences(definitions, (definition) => definition).map(({ name }) => name)).toEqual(expected);
});
