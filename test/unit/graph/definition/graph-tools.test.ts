import { describe, expect, test } from 'vitest';
import { pinCatalog } from '../../../../src/graph/definition/pin-catalog.ts';
import { toToolEntry, toolGraph } from '../../../../src/graph/definition/graph-tools.ts';
import type { ChannelDefinition, GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { compileJsonSchema } from '../../../../src/graph/values/json-schema.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

const parametersOf = (channels: Record<string, ChannelDefinition>, over: Partial<GraphDefinition> = {}) =>
  toToolEntry(aDefinition({ channels, ...over })).parameters;

describe('the parameters of a tool that is a graph', () => {
  test('the parameters of a graph used as a tool are its input channels; those without a default are required', () => {
    const channels = {
      plain: {},
      text: { schema: { type: 'string' }, description: 'A text.' },
      given: { default: 1 },
      list: { reducer: 'append', schema: { type: 'array' } },
      inside: {},
    } as const;
    expect(parametersOf(channels, { input: ['plain', 'text', 'given', 'list'] })).toEqual({
      type: 'object',
      properties: { plain: {}, text: { type: 'string', description: 'A text.' }, given: {}, list: { type: 'array' } },
      required: ['plain', 'text'],
      additionalProperties: false,
    });
  });

  test.each<[string, Partial<GraphDefinition>, readonly string[] | undefined]>([
    ['names the required channels', { input: ['a', 'b'], required: ['b'] }, ['b']],
    ['names its input channels', { input: ['a'] }, ['a']],
    ['names neither required nor input channels', {}, undefined],
  ])(
    'the parameters of a graph used as a tool are required according to a definition that %s',
    (_what, over, required) => {
      const parameters = parametersOf({ a: {}, b: {} }, over);
      expect(typeof parameters === 'object' && parameters['required']).toEqual(required);
    },
  );

  test('the parameters of a graph used as a tool accept messages with the roles that a channel accepts in a run’s input', () => {
    const check = compileJsonSchema(parametersOf({ chat: { reducer: 'messages' } }));
    expect(check({ chat: [{ role: 'user', content: 'Hi' }] })).toEqual([]);
    expect(check({ chat: [{ role: 'system', content: 'Hi' }] })).toHaveLength(1);
  });

  test('the parameters of a graph used as a tool keep the references of a schema, and omit the schema of a channel with an expression as reducer', () => {
    const schema = {
      type: 'array',
      items: { $ref: '#/$defs/n' },
      $defs: { n: { anyOf: [{ type: 'number' }, { $ref: '#' }] } },
    } as const;
    const check = compileJsonSchema(
      parametersOf({ 'a-b': { schema }, sum: { reducer: { expr: 'current' }, schema: { type: 'number' } } }),
    );
    expect(check({ 'a-b': [1, [2]], sum: 'x' })).toEqual([]);
    expect(check({ 'a-b': [1, ['x']] })).not.toEqual([]);
  });
});

test('a graph used as a tool has the description of the graph, or the one in the node', () => {
  const definition = aDefinition({ name: 'leaf', description: 'Finds a leaf.' });
  const told = [toToolEntry(definition), toToolEntry(definition, { description: 'Looks an order up.' })];
  expect(told.map(({ description }) => description)).toEqual(['Finds a leaf.', 'Looks an order up.']);
  expect(toToolEntry(aDefinition({ name: 'leaf' })).description).toBe('Runs the graph leaf');
});

describe('the inner graph of a node that calls graphs as tools', () => {
  const tools = ['pay', { graph: 'leaf@2' }] as const;

  test('the inner graph of a node with graphs as tools names its nodes as the node names the tools', () => {
    const named = [{ graph: 'leaf@1', as: 'old' }, { graph: 'leaf@2', as: 'new' }, { graph: 'leaf' }] as const;
    const node = { type: 'agent', prompt: 'x', tools: named } as const;
    const graphs = Object.entries(toolGraph(node, { node })?.nodes ?? {}).map(([name, inner]) => [
      name,
      'graph' in inner && inner.graph,
    ]);
    expect(graphs).toEqual([
      ['old', 'leaf@1'],
      ['new', 'leaf@2'],
      ['leaf', 'leaf'],
    ]);
  });

  test('the inner graph of a node with graphs as tools has a node for each graph', () => {
    const leaf = aDefinition({ channels: { x: {} }, input: ['x'] });
    const node = { type: 'agent', prompt: 'x', tools, deadline: '1h' } as const;
    expect(toolGraph(node, { node }, { 'leaf@2': leaf })?.nodes).toEqual({
      leaf: { type: 'subgraph', graph: 'leaf@2', input: { x: '{{ item }}' }, deadline: '1h' },
    });
  });

  test('the inner graph of graph tools belongs to the node that makes the calls of an llm node, not to the llm node', () => {
    const nodes = {
      ask: { type: 'llm', messages: 'chat', tools },
      calls: { type: 'tool', calls: 'chat' },
      pay: { type: 'tool', tool: 'pay' },
      plain: { type: 'agent', prompt: 'x', tools: ['pay'] },
    } as const;
    const inside = Object.values(nodes).map((node) => Object.keys(toolGraph(node, nodes)?.nodes ?? {}));
    expect(inside).toEqual([[], ['leaf'], [], []]);
  });

  test('a run pins the inner graph of graph tools with everything that these graphs use', () => {
    const deep = aDefinition({ nodes: { x: { type: 'tool', tool: 'notify' } } });
    const leaf = aDefinition({ nodes: { a: { type: 'agent', prompt: 'x', tools: [{ graph: 'deep@1' }] } } });
    const node = { type: 'llm', prompt: 'x', tools: ['charge', { graph: 'leaf@2' }] } as const;
    const catalog = aCatalog({ graphs: { 'leaf@2': leaf, 'deep@1': deep, 'other@1': deep } });
    const pinned = pinCatalog(aDefinition({ nodes: { node } }), catalog);
    expect([Object.keys(pinned.graphs ?? {}), Object.keys(pinned.tools)]).toEqual([
      ['leaf@2', 'deep@1'],
      ['charge', 'notify'],
    ]);
  });
});
