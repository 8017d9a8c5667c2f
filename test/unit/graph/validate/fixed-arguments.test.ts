import { describe, expect, test } from 'vitest';
import { CEILINGS } from '../../../../src/graph/definition/limits.ts';
import { DEFAULTS } from '../../../../src/graph/definition/catalog.ts';
import type { Catalog, ToolEntry } from '../../../../src/graph/definition/catalog.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';

const orders: ToolEntry = {
  description: 'Finds orders',
  effect: 'idempotent',
  parameters: {
    type: 'object',
    properties: {
      customer: { type: 'string' },
      filter: { $ref: '#/$defs/filter' },
      lines: { type: 'array', items: { type: 'number' } },
    },
    required: ['customer', 'filter'],
    additionalProperties: false,
    $defs: { filter: { type: 'object', properties: { open: { type: 'boolean' } }, required: ['open'] } },
  },
};
const open: ToolEntry = { description: 'Takes anything', effect: 'idempotent', parameters: { type: 'object' } };
const catalog: Catalog = {
  models: { default: {} },
  tools: { orders, open, other: open },
  functions: {},
  graphs: {
    refund: {
      name: 'refund',
      channels: { order: { schema: { type: 'string' } }, log: { reducer: 'append' } },
      input: ['order'],
      nodes: {},
      edges: [],
    },
  },
  defaults: DEFAULTS,
  ceilings: CEILINGS,
};

const linesOf = (tools: Json, over: JsonObject = {}): string[] =>
  validateGraph(
    {
      name: 'first',
      channels: { customer: { default: '' }, log: {} },
      nodes: { a: { type: 'agent', prompt: 'Hello {{ state.customer }}', tools, write: 'log', ...over } },
      edges: [{ from: '__start__', to: 'a' }],
    },
    catalog,
  ).map(({ path, message }) => `${path.replace('/nodes/a/tools', '')}: ${message}`);

describe('fixed arguments of a tool', () => {
  test.each<[string, Json]>([
    ['a template', { customer: '{{ state.customer }}' }],
    ['a value', { customer: 'C-1', lines: [1, '{{ run.step }}'] }],
    ['a whole object', { filter: { open: true } }],
    ['all arguments', { customer: 'C-1', filter: '{{ {"open": true} }}', lines: [] }],
    ['none', {}],
  ])('the fixed arguments are valid: %s', (_what, args) => {
    expect(linesOf([{ tool: 'orders', args }])).toEqual([]);
  });

  test.each<[string, Json, string]>([
    [
      'an unknown name',
      [{ tool: 'orders', args: { custmer: 'C-1' } }],
      '/0/args/custmer: orders has no argument "custmer". Did you mean "customer"?',
    ],
    [
      'a value of another type',
      [{ tool: 'orders', args: { customer: 1 } }],
      '/0/args/customer: orders does not take this argument: must be of type string, not a number',
    ],
    [
      'a missing member inside',
      [{ tool: 'orders', args: { filter: {} } }],
      '/0/args/filter: orders does not take this argument: "open" is missing',
    ],
    [
      'an invalid item beside a template',
      [{ tool: 'orders', args: { lines: ['{{ 1 }}', 'x'] } }],
      '/0/args/lines/1: orders does not take this argument: must be of type number, not a text',
    ],
    [
      'a name that is no input of a graph',
      [{ graph: 'refund', args: { log: [] } }],
      '/0/args/log: refund has no argument "log".',
    ],
    [
      'an unknown channel',
      [{ tool: 'orders', args: { customer: '{{ state.custmer }}' } }],
      '/0/args/customer: No channel "custmer" is declared. Did you mean "customer"?',
    ],
    ['an unknown tool', [{ tool: 'order', args: {} }], '/0/tool: There is no tool "order". Did you mean "orders"?'],
    [
      'the name of another tool',
      [{ tool: 'orders', as: 'other' }],
      '/0/as: There is a configured tool of the name "other", which this one would have as a tool: `as` gives it another',
    ],
    [
      'a name twice',
      ['orders', { tool: 'orders', args: {} }],
      '/1: Another tool of this node is named "orders" already: a node has one memory, and a tool or graph that is there again needs `as`, a name of its own',
    ],
    ['no object', [{ tool: 'orders', args: 'C-1' }], '/0/args: This must be an object, not "C-1".'],
  ])('the fixed arguments are refused: %s', (_what, tools, line) => {
    expect(linesOf(tools)).toContain(line);
  });

  test('a tool that names no parameters takes any fixed argument', () => {
    expect(linesOf([{ tool: 'open', args: { anything: 1 } }])).toEqual([]);
  });

  test('rules and the tool choice use the name that the model sees', () => {
    const tools = [{ tool: 'orders', as: 'mine', args: { customer: 'C-1' } }];
    expect(linesOf(tools, { approve: { mine: 'always' }, toolChoice: { tool: 'mine' } })).toEqual([]);
    expect(linesOf(tools, { approve: { orders: 'always' } })).toEqual([
      '/nodes/a/approve/orders: "orders" is none of this agent\'s tools.',
    ]);
  });

  test('a list of many tools with fixed arguments is checked in bounded time', () => {
    const tools = Array.from({ length: 5_000 }, (_unused, at) => ({
      tool: 'orders',
      as: `t${at}`,
      args: { customer: 1 },
    }));
    const codes = new Set(
      validateGraph({ name: 'a', nodes: { a: { type: 'agent', prompt: 'x', tools } }, edges: [] }, catalog).map(
        ({ code }) => code,
      ),
    );
    expect(codes.has('INVALID_FIELD') || codes.has('TOO_EXPENSIVE')).toBe(true);
  });
});
