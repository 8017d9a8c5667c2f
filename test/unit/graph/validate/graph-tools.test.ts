import { describe, expect, test } from 'vitest';
import { CEILINGS } from '../../../../src/graph/definition/limits.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

const leaf = aDefinition({ name: 'leaf' });
const around = aDefinition({
  name: 'around',
  nodes: { a: { type: 'agent', prompt: 'x', tools: [{ graph: 'test' }] } },
});
const asks = aDefinition({ name: 'asks', nodes: { ask: { type: 'approval', title: 'May I?' } } });
const patient = aDefinition({ name: 'patient', limits: { maxSteps: 60 } });
const charge = aDefinition({ name: 'charge' });
const graphs = { leaf, around, asks, patient, charge, 'leaf@1': leaf };

/** Returns the issues of an agent with the given tools. */
function found(tools: Json, { node = {}, graph = {} }: { node?: object; graph?: object } = {}): string[] {
  const a = { type: 'agent', prompt: 'Hello', tools, write: { log: '{{ result.text }}' }, ...node };
  const definition = { ...aDefinition(), nodes: { a }, edges: [{ from: '__start__', to: 'a' }], ...graph };
  const catalog = aCatalog({ graphs, ceilings: { ...CEILINGS, maxSteps: 50 } });
  return validateGraph(JSON.parse(JSON.stringify(definition)), catalog).map(({ code, path }) => `${code} ${path}`);
}

describe('a graph among the tools of a node', () => {
  test('a graph among the tools of a node is valid', () => {
    expect(found(['charge', { graph: 'leaf' }], { node: { approve: { leaf: 'always' } } })).toEqual([]);
  });

  test('a graph among the tools of a node may be the forced tool choice', () => {
    expect(found([{ graph: 'leaf@1' }], { node: { toolChoice: { tool: 'leaf' } } })).toEqual([]);
    expect(found([{ graph: 'leaf' }], { node: { toolChoice: { tool: 'nowhere' } } })).toEqual([
      'INVALID_FIELD /nodes/a/toolChoice/tool',
    ]);
  });

  test('a graph among the tools of a node may have its own name and description', () => {
    const tools = [{ graph: 'charge', as: 'charge_card', description: 'Charges.' }, { graph: 'leaf' }];
    expect(found(tools, { node: { approve: { charge_card: 'always' } } })).toEqual([]);
    expect(found([{ graph: 'leaf' }, { graph: 'leaf@1', as: 'old_leaf' }])).toEqual([]);
  });

  test.each<[string, Json, string[]]>([
    [
      'renamed to the name of another graph',
      [{ graph: 'leaf' }, { graph: 'asks', as: 'leaf' }],
      ['INVALID_FIELD /nodes/a/tools/1'],
    ],
    [
      'renamed to the name of a configured tool',
      [{ graph: 'leaf', as: 'charge' }],
      ['INVALID_FIELD /nodes/a/tools/0/as'],
    ],
    [
      'renamed to the name of a built-in tool',
      [{ graph: 'leaf', as: 'memory_save' }],
      ['INVALID_FIELD /nodes/a/tools/0/as'],
    ],
    ['with an invalid name', [{ graph: 'leaf', as: 'a b' }], ['INVALID_FIELD /nodes/a/tools/0/as']],
    ['with a name that is not a text', [{ graph: 'leaf', as: 7 }], ['INVALID_FIELD /nodes/a/tools/0/as']],
    ['that does not exist', [{ graph: 'nowhere' }], ['UNKNOWN_GRAPH /nodes/a/tools/0/graph']],
    ['that is the graph itself', ['charge', { graph: 'test' }], ['RECURSIVE_SUBGRAPH /nodes/a/tools/1/graph']],
    ['that has the graph as a tool', [{ graph: 'around' }], ['RECURSIVE_SUBGRAPH /nodes/a/tools/0/graph']],
    ['over a ceiling', [{ graph: 'patient' }], ['INVALID_FIELD /nodes/a/tools/0/graph']],
    ['in two versions', [{ graph: 'leaf' }, { graph: 'leaf@1' }], ['INVALID_FIELD /nodes/a/tools/1']],
    ['named as a configured tool', [{ graph: 'charge' }], ['INVALID_FIELD /nodes/a/tools/0/graph']],
    ['with more fields', [{ graph: 'leaf', input: {} }], ['INVALID_FIELD /nodes/a/tools/0/input']],
    ['that is a number', [{ graph: 7 }], ['INVALID_FIELD /nodes/a/tools/0/graph']],
  ])('a graph among the tools of a node is refused: %s', (_what, tools, expected) => {
    expect(found(tools)).toEqual(expected);
  });

  test('a graph among the tools of a node must not wait in the last node of a canceled run', () => {
    expect(found([{ graph: 'asks' }], { graph: { onCancel: 'a' } })).toContain('INVALID_FIELD /onCancel');
  });

  test('a graph may be among tools with repeated names of configured tools, but only with one memory', () => {
    expect(found(['charge', 'charge', { memory: 'm' }])).toEqual([]);
    expect(found([{ memory: 'm' }, { memory: 'n', access: 'write' }])).toEqual(['INVALID_FIELD /nodes/a/tools/1']);
  });
});
