import { describe, expect, test } from 'vitest';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog } from '../../../support/builders/builders.ts';

const validate = (definition: Json) => validateGraph(definition, aCatalog());
const found = (definition: Json): string[] => validate(definition).map(({ code, path }) => `${code} ${path}`);

/** A valid definition with some fields replaced. */
const base = (over: Readonly<Record<string, Json>> = {}): Json => ({
  name: 'valid',
  channels: { log: { reducer: 'append' } },
  nodes: { a: set('a'), b: set('b') },
  edges: [
    { from: '__start__', to: 'a' },
    { from: 'a', to: 'b' },
    { from: 'b', to: '__end__' },
  ],
  ...over,
});
const set = (log: Json): Json => ({ type: 'set', write: { log } });
const waiting = (deadline: string): Json => ({
  name: 'inner',
  nodes: { w: { type: 'wait', for: '1s', deadline } },
  edges: [{ from: '__start__', to: 'w' }],
});
const nodes = (over: Readonly<Record<string, Json>>): Json => base({ nodes: { a: set('a'), b: set('b'), ...over } });
const edges = (...more: Json[]): Json =>
  base({ edges: [{ from: '__start__', to: 'a' }, { from: 'a', to: 'b' }, ...more] });
const channels = (over: Readonly<Record<string, Json>>): Json =>
  base({ channels: { log: { reducer: 'append' }, ...over } });

test('a valid graph definition has no issues', () => {
  expect(validate(base())).toEqual([]);
});

describe('an error of a definition', () => {
  test.each<[string, Json, string]>([
    ['a list', [1], 'INVALID_FIELD '],
    ['a missing field', { channels: {}, nodes: {}, edges: [] }, 'INVALID_FIELD '],
    ['an unknown field', base({ nmae: 1 }), 'INVALID_FIELD /nmae'],
    ['a field of the wrong type', base({ edges: 'a' }), 'INVALID_FIELD /edges'],
    ['an unknown field of a node', nodes({ a: { type: 'set', timeot: '5s' } }), 'INVALID_FIELD /nodes/a/timeot'],
    ['a node without its tool', nodes({ a: { type: 'tool' } }), 'INVALID_FIELD /nodes/a'],
    ['a node without a type', nodes({ a: {} }), 'INVALID_FIELD /nodes/a'],
    [
      'a retry policy of a node without calls',
      nodes({ a: { type: 'set', retry: { maxAttempts: 2 } } }),
      'INVALID_FIELD /nodes/a/retry',
    ],
    ['an edge without a target', edges({ from: 'b' }), 'INVALID_FIELD /edges/2'],
    ['neither prompt nor messages', nodes({ a: { type: 'llm' } }), 'INVALID_FIELD /nodes/a'],
    [
      'prompt and messages',
      nodes({ a: { type: 'llm', prompt: 'x', messages: 'log' } }),
      'INVALID_FIELD /nodes/a/messages',
    ],
    ['an unknown node type', nodes({ a: { type: 'magic' } }), 'UNKNOWN_NODE_TYPE /nodes/a/type'],
    [
      'a duration in an unknown unit',
      nodes({ a: { type: 'tool', tool: 'lookup', timeout: 'soon' } }),
      'INVALID_DURATION /nodes/a/timeout',
    ],
    [
      'a timeout of zero',
      nodes({ a: { type: 'tool', tool: 'lookup', timeout: '0s' } }),
      'INVALID_DURATION /nodes/a/timeout',
    ],
    [
      'a deadline of zero',
      nodes({ a: { type: 'tool', tool: 'lookup', deadline: '0.0m' } }),
      'INVALID_DURATION /nodes/a/deadline',
    ],
    [
      'a deadline of a graph inside',
      nodes({ a: { type: 'subgraph', graph: waiting('1m'), deadline: 'soon' } }),
      'INVALID_DURATION /nodes/a/deadline',
    ],
    [
      'a deadline inside a graph inside',
      nodes({ a: { type: 'subgraph', graph: waiting('0s') } }),
      'INVALID_DURATION /nodes/a/graph/nodes/w/deadline',
    ],
    ['a deadline of a wait', nodes({ a: { type: 'wait', for: '1s', deadline: 7 } }), 'INVALID_FIELD /nodes/a/deadline'],
    [
      'a deadline in a template',
      nodes({ a: { type: 'wait', for: '1s', deadline: '{{ state.x }}' } }),
      'INVALID_DURATION /nodes/a/deadline',
    ],
    ['a deadline of a graph', base({ deadline: '1m' }), 'INVALID_FIELD /deadline'],
    ['a default deadline', base({ defaults: { deadline: '1m' } }), 'INVALID_FIELD /defaults/deadline'],
    ['a default timeout of zero', base({ defaults: { timeout: '0ms' } }), 'INVALID_DURATION /defaults/timeout'],
    [
      'an approval with a timeout of zero',
      nodes({ a: { type: 'approval', title: 'Go?', timeout: '0d' } }),
      'INVALID_DURATION /nodes/a/timeout',
    ],
    ['a graph name', base({ name: 'Not A Name' }), 'INVALID_NAME /name'],
    ['a node id', nodes({ '9 lives': set('x') }), 'INVALID_NAME /nodes/9 lives'],
    ['a channel name', channels({ 'a/b': {} }), 'INVALID_NAME /channels/a~1b'],
    ['a reserved name', nodes({ __end__: set('x') }), 'RESERVED_NAME /nodes/__end__'],
    ['no entry point', base({ edges: [{ from: 'a', to: 'b' }] }), 'MISSING_ENTRY_POINT /edges'],
    ['an edge to an unknown node', edges({ from: 'b', to: ['a', 'ghost'] }), 'UNKNOWN_NODE /edges/2/to/1'],
    ['an edge from an unknown node', edges({ from: ['a', 'ghost'], to: 'b' }), 'UNKNOWN_NODE /edges/2/from/1'],
    [
      'a branch to an unknown node',
      edges({ from: 'b', branches: [{ when: 'true', to: 'a' }, { to: 'ghost' }] }),
      'UNKNOWN_NODE /edges/2/branches/1/to',
    ],
    [
      'an onError with an unknown node',
      nodes({ a: { type: 'set', onError: { to: 'ghost' } } }),
      'UNKNOWN_NODE /nodes/a/onError/to',
    ],
    ['an unreachable node', nodes({ island: set('x') }), 'UNREACHABLE_NODE /nodes/island'],
    ['the same edge twice', edges({ to: 'b', from: 'a' }), 'DUPLICATE_EDGE /edges/2'],
    [
      'a write to an unknown channel',
      nodes({ a: { type: 'set', write: { lgo: 1 } } }),
      'UNKNOWN_CHANNEL /nodes/a/write/lgo',
    ],
    [
      'a whole result to an unknown channel',
      nodes({ a: { type: 'tool', tool: 'lookup', write: 'lgo' } }),
      'UNKNOWN_CHANNEL /nodes/a/write',
    ],
    [
      'an error written to an unknown channel',
      nodes({ a: { type: 'set', onError: { to: 'b', write: { lgo: 1 } } } }),
      'UNKNOWN_CHANNEL /nodes/a/onError/write/lgo',
    ],
    [
      'messages of an unknown channel',
      nodes({ a: { type: 'llm', messages: 'mesages' } }),
      'UNKNOWN_CHANNEL /nodes/a/messages',
    ],
    ['an unknown input channel', base({ input: ['log', 'lgo'] }), 'UNKNOWN_CHANNEL /input/1'],
    [
      'a condition on an unknown channel',
      edges({ from: 'b', branches: [{ when: 'state.nope', to: 'a' }, { to: '__end__' }] }),
      'UNKNOWN_CHANNEL /edges/2/branches/0/when',
    ],
    [
      'roles of a channel without messages',
      channels({ total: { reducer: 'sum', roles: ['user'] } }),
      'INVALID_FIELD /channels/total/roles',
    ],
    [
      'an unknown role of messages',
      channels({ chat: { reducer: 'messages', roles: ['user', 'boss'] } }),
      'INVALID_FIELD /channels/chat/roles/1',
    ],
    [
      'a local call of a keyed tool',
      nodes({ a: { type: 'tool', tool: 'charge', execution: 'local', timeout: '5s' } }),
      'INVALID_FIELD /nodes/a/execution',
    ],
    [
      'a local call that may take longer',
      nodes({ a: { type: 'tool', tool: 'lookup', execution: 'local', timeout: '11s' } }),
      'INVALID_FIELD /nodes/a/execution',
    ],
    [
      'a local call that may take as long as all others',
      nodes({ a: { type: 'function', function: 'double', execution: 'local' } }),
      'INVALID_FIELD /nodes/a/execution',
    ],
    [
      'local calls of a message, one of them of an unsafe tool',
      base({
        channels: { chat: { reducer: 'messages' } },
        nodes: {
          a: { type: 'llm', messages: 'chat', tools: ['lookup', 'notify'] },
          b: { type: 'tool', calls: 'chat', execution: 'local', timeout: '5s' },
        },
      }),
      'INVALID_FIELD /nodes/b/execution',
    ],
    [
      'an unknown kind of execution',
      nodes({ a: { type: 'tool', tool: 'lookup', execution: 'remote' } }),
      'INVALID_FIELD /nodes/a/execution',
    ],
    [
      'an execution of a node without code',
      nodes({ a: { type: 'llm', prompt: 'x', execution: 'activity' } }),
      'INVALID_FIELD /nodes/a/execution',
    ],
    ['a template on an unknown channel', nodes({ a: set('{{ state.nope }}') }), 'UNKNOWN_CHANNEL /nodes/a/write/log'],
    [
      'a condition that is no CEL',
      edges({ from: 'b', branches: [{ when: 'state.log ==', to: 'a' }, { to: '__end__' }] }),
      'INVALID_EXPRESSION /edges/2/branches/0/when',
    ],
    [
      'a reducer with an unknown name',
      channels({ log: { reducer: { expr: 'curent' } } }),
      'INVALID_EXPRESSION /channels/log/reducer/expr',
    ],
    [
      'a node type named like a member of every object',
      nodes({ a: { type: 'constructor' } }),
      'UNKNOWN_NODE_TYPE /nodes/a/type',
    ],
    [
      'a type named like a member of prototypes',
      nodes({ a: { type: '__proto__' } }),
      'UNKNOWN_NODE_TYPE /nodes/a/type',
    ],
    ['an unknown field of run', nodes({ a: set('{{ run.stp }}') }), 'INVALID_TEMPLATE /nodes/a/write/log'],
    [
      'a template that does not close',
      nodes({ a: set(['x', 'y {{ state.log']) }),
      'INVALID_TEMPLATE /nodes/a/write/log/1',
    ],
    [
      'a title with an invalid template',
      nodes({ a: { type: 'approval', title: '{{ state. }}' } }),
      'INVALID_TEMPLATE /nodes/a/title',
    ],
    [
      'result outside of write',
      nodes({ a: { type: 'tool', tool: 'lookup', args: '{{ result }}' } }),
      'INVALID_TEMPLATE /nodes/a/args',
    ],
    ['an invalid schema', channels({ log: { schema: { type: 'listt' } } }), 'INVALID_SCHEMA /channels/log/schema/type'],
    [
      'an invalid output schema',
      nodes({ a: { type: 'llm', prompt: 'x', output: { required: 'a' } } }),
      'INVALID_SCHEMA /nodes/a/output/required',
    ],
    [
      'a schema with a dangling reference',
      channels({ log: { schema: { $ref: '#/$defs/x' } } }),
      'INVALID_SCHEMA /channels/log/schema/$ref',
    ],
    [
      'a schema that refers to itself',
      channels({ log: { schema: { $ref: '#' } } }),
      'INVALID_SCHEMA /channels/log/schema',
    ],
    [
      'a default that breaks its reducer',
      channels({ log: { reducer: 'append', default: 'x' } }),
      'INVALID_DEFAULT /channels/log/default',
    ],
    [
      'a default that breaks its schema',
      channels({ log: { schema: { type: 'number' }, default: 'x' } }),
      'INVALID_DEFAULT /channels/log/default',
    ],
    [
      'a default whose check takes too much computing',
      channels({
        log: {
          schema: { items: { pattern: '(a{0,30}){0,30}b' } },
          default: Array.from({ length: 1_000 }, () => 'a'.repeat(100)),
        },
      }),
      'TOO_EXPENSIVE /channels/log/default',
    ],
    ['an unknown tool', nodes({ a: { type: 'tool', tool: 'lokup' } }), 'UNKNOWN_TOOL /nodes/a/tool'],
    [
      'an unknown function',
      nodes({ a: { type: 'function', function: 'constructor' } }),
      'UNKNOWN_FUNCTION /nodes/a/function',
    ],
    [
      'an unknown model',
      nodes({ a: { type: 'llm', prompt: 'x', model: ['default', 'nope'] } }),
      'UNKNOWN_MODEL /nodes/a/model/1',
    ],
    ['an unknown default model', base({ defaults: { model: 'nope' } }), 'UNKNOWN_MODEL /defaults/model'],
    ['a definition that is too large', base({ description: 'x'.repeat(1_100_000) }), 'GRAPH_TOO_LARGE '],
  ])('a definition error is reported for %s', (_title, definition, expected) => {
    expect(found(definition)).toContain(expected);
  });

  test('a message about an unknown name suggests the most similar valid name', () => {
    expect(validate(nodes({ a: { type: 'set', write: { lgo: 1 } } }))[0]?.message).toContain('Did you mean "log"');
  });

  test('the default model must be configured if a node names no model', () => {
    const definition = nodes({ a: { type: 'llm', prompt: 'x' } });
    expect(validateGraph(definition, aCatalog({ models: {} })).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'UNKNOWN_MODEL /nodes/a',
    ]);
  });

  test('a graph of 2,000 nodes is valid, and a graph of 2,001 nodes is refused', () => {
    const chain = (n: number): Json => {
      const ids = Array.from({ length: n }, (_, at) => `n${at}`);
      return base({
        nodes: Object.fromEntries(ids.map((id) => [id, set(id)])),
        edges: ids.map((to, at) => ({ from: ids[at - 1] ?? '__start__', to })),
      });
    };
    expect(found(chain(2_000))).toEqual([]);
    expect(found(chain(2_001))).toEqual(['GRAPH_TOO_LARGE /nodes']);
  });

  test.each<[string, Json]>([
    ['a wait that continues at once', { type: 'wait', for: '0s' }],
    ['a wait that only accepts an event that has arrived', { type: 'wait', event: 'go', timeout: '0s' }],
    [
      'a retry without a delay',
      { type: 'tool', tool: 'lookup', args: { key: 'k' }, retry: { initialInterval: '0s', maxInterval: '0s' } },
    ],
  ])('a zero duration in a definition is valid: %s', (_title, a) => {
    expect(found(nodes({ a }))).toEqual([]);
  });

  test('names of prototype members are ordinary names in a definition', () => {
    expect(found(nodes({ constructor: set('x'), toString: set('y') }))).toEqual([
      'UNREACHABLE_NODE /nodes/constructor',
      'UNREACHABLE_NODE /nodes/toString',
    ]);
  });
});

describe('a warning about a definition', () => {
  const branch = { from: 'b', branches: [{ when: 'true', to: 'a' }, { to: '__end__' }] };
  test.each<[string, Json, string[]]>([
    [
      'branches without a default',
      edges({ from: 'b', branches: [{ when: 'true', to: 'a' }] }),
      ['DEAD_END_BRANCH /edges/2'],
    ],
    ['branches with a default', edges(branch), []],
    [
      'a join of branches',
      base({
        nodes: { s: set('s'), a: set('a'), b: set('b'), j: set('j') },
        edges: [
          { from: '__start__', to: 's' },
          { from: 's', branches: [{ when: 'true', to: 'a' }, { to: 'b' }] },
          { from: ['a', 'b'], to: 'j' },
        ],
      }),
      ['JOIN_MAY_STARVE /edges/2/from/0', 'JOIN_MAY_STARVE /edges/2/from/1'],
    ],
    [
      'two writers of one value',
      base({
        channels: { x: {} },
        nodes: { a: { type: 'set', write: { x: 1 } }, b: { type: 'set', write: { x: 2 } } },
        edges: [{ from: '__start__', to: ['a', 'b'] }],
      }),
      ['IMPLICIT_CONCURRENT_WRITE /nodes/b/write/x'],
    ],
    ['a loop that nothing leaves', edges({ from: 'b', to: 'a' }), ['UNBOUNDED_LOOP /edges/1']],
    ['a loop that a branch leaves', edges(branch, { from: 'b', to: '__end__' }), []],
    [
      'a loop that maxVisits leaves',
      base({
        nodes: { a: { type: 'set', maxVisits: 3, write: { log: 'a' } } },
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', to: 'a' },
        ],
      }),
      [],
    ],
    ['a channel that is not used', channels({ idle: {} }), ['UNUSED_CHANNEL /channels/idle']],
    [
      'a channel that the output lists',
      base({ channels: { log: { reducer: 'append' }, idle: {} }, output: ['idle'] }),
      [],
    ],
    [
      'a channel in the whole state',
      base({ channels: { log: { reducer: 'append' }, idle: {} }, nodes: { a: set('{{ json(state) }}'), b: set('b') } }),
      [],
    ],
    [
      'an approval that changes nothing',
      nodes({ a: { type: 'approval', title: 'Go?', write: 'log' } }),
      ['APPROVAL_UNCHECKED /nodes/a'],
    ],
    ['an approval that fails', nodes({ a: { type: 'approval', title: 'Go?', onReject: 'fail' } }), []],
  ])('a definition is checked for warnings: %s', (_title, definition, expected) => {
    expect(found(definition)).toEqual(expected);
  });

  test('a warning about a definition has a hint', () => {
    expect(validate(channels({ idle: {} }))).toMatchObject([{ severity: 'warning', hint: expect.any(String) }]);
  });
});
