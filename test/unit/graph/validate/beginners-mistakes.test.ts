import { describe, expect, test } from 'vitest';
import { CEILINGS } from '../../../../src/graph/definition/limits.ts';
import { DEFAULTS } from '../../../../src/graph/definition/catalog.ts';
import type { Catalog } from '../../../../src/graph/definition/catalog.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const parameters = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number' }, lines: { type: 'array', maxItems: 1 } },
  required: ['order', 'amount'],
  additionalProperties: false,
};
const catalog: Catalog = {
  models: { large: {}, small: {} },
  tools: { pay: { description: 'Pays', effect: 'keyed', parameters } },
  functions: {},
  defaults: DEFAULTS,
  ceilings: CEILINGS,
};

const graph = (node: Json, edges: Json = [{ from: '__start__', to: 'only' }]): Json => ({
  name: 'first',
  channels: { text: { default: '' } },
  nodes: { only: node },
  edges,
});
const writing = (text: Json): Json => graph({ type: 'set', write: { text } });
const edge = (fields: object): Json => graph({ type: 'set', write: { text: 'a' } }, [{ from: '__start__', ...fields }]);
const paying = (args: Json): Json => graph({ type: 'tool', tool: 'pay', args, write: { text: '{{ result }}' } });

const linesOf = (definition: Json): string[] =>
  validateGraph(definition, catalog)
    .filter(({ code }) => !['MISSING_ENTRY_POINT', 'UNREACHABLE_NODE', 'UNUSED_CHANNEL'].includes(code))
    .map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`);

describe('an expression that is not CEL', () => {
  test.each([
    [
      '{{ state.text === "b" }}',
      'Unexpected character: = at character 14 in `state.text === "b"`. CEL writes == and !=',
    ],
    ['{{ state.text | upper }}', 'CEL has no pipes: it calls functions, such as state.name.upperAscii()'],
    ['{{ state.text.toUpperCase() }}', 'CEL writes upperAscii()'],
    ['{{ state.text ?? "a" }}', 'CEL writes coalesce(a, b)'],
    ['{{ now() }}', 'An expression knows no clock; run.startedAt is when the run began'],
    ['{{ Date.now() }}', 'An expression knows no clock; run.startedAt is when the run began'],
    ['{{ state.text + }}', 'Unexpected token: EOF at character 13 in `state.text +`'],
    ['{{ "a === b" + }}', 'Unexpected token: EOF at character 12 in `"a === b" +`'],
  ])('an expression that is not CEL is quoted, with the position and a hint: %s', (text, ending) => {
    expect(linesOf(writing(text))).toEqual([expect.stringMatching(/^\/nodes\/only\/write\/text: /)]);
    expect(linesOf(writing(text))[0]?.endsWith(ending)).toBe(true);
  });

  test('template braces in a condition are reported', () => {
    const [line] = linesOf(edge({ branches: [{ when: '{{ state.text == "1" }}', to: 'only' }, { to: '__end__' }] }));
    expect(line).toContain('. An expression stands here without {{ }}');
  });
});

describe('names of another engine', () => {
  test('the names START and END of another engine are reported', () => {
    expect(linesOf(edge({ from: 'START', to: 'END' }))).toEqual([
      '/edges/0/from: There is no node "START". Did you mean "__start__"?',
      '/edges/0/to: There is no node "END". Did you mean "__end__"?',
    ]);
  });

  test('a condition of an edge in another engine’s form is reported', () => {
    expect(linesOf(edge({ condition: 'state.text', to: 'only' }))).toEqual([
      '/edges/0/condition: There is no field "condition" here. ' +
        'Conditions go into "branches": [{ "when": "state.a > 1", "to": "a" }]',
    ]);
  });

  test('a model that is not configured is reported with the configured models', () => {
    const asking = graph({ type: 'llm', model: 'gpt-4o', prompt: 'a', write: { text: '{{ result.text }}' } });
    expect(linesOf(asking)).toEqual(['/nodes/only/model: There is no model "gpt-4o"; known are large, small']);
  });
});

describe('a text that looks like an expression', () => {
  test('a text that looks like an expression is reported as literal text', () => {
    expect(linesOf(writing('state.text + "!"'))).toEqual([
      '/nodes/only/write/text: This text looks like an expression, and is taken as it is (Write "{{ state.text + "!" }}")',
    ]);
  });

  test.each(['state.of the art', 'The state.text', '{{ state.text }}', 'state', 'result: done'])(
    'a text that only resembles an expression is not reported: %s',
    (text) => {
      expect(linesOf(writing(text))).toEqual([]);
    },
  );
});

describe('arguments of a tool', () => {
  test('arguments of a tool node are checked all at once: names, values, and missing ones', () => {
    expect(linesOf(paying({ oder: 'A-1', amount: 'much' }))).toEqual([
      '/nodes/only/args/amount: pay does not take these arguments: amount must be of type number, not a text',
      '/nodes/only/args: pay does not take these arguments: "order" is missing',
      '/nodes/only/args/oder: pay does not take these arguments: oder is no member that the schema knows. Did you mean "order"?',
    ]);
  });

  test.each<[string, Json]>([
    ['are filled later', { order: '{{ state.text }}', amount: '{{ 1 }}' }],
    ['are filled as a whole', '{{ state.text }}'],
    ['contain templates', { order: 'a', amount: 1, lines: ['{{ state.text }}', '{{ state.text }}'] }],
  ])('arguments of a tool node are not checked if they %s', (_what, args) => expect(linesOf(paying(args))).toEqual([]));

  test('arguments of a tool node need their names although their values are filled later', () => {
    const line = '/nodes/only/args: pay does not take these arguments: "amount" is missing';
    expect(linesOf(paying({ order: '{{ state.text }}' }))).toEqual([line]);
  });
});

describe('a valid expression that can hardly be meant', () => {
  const order = {
    type: 'object',
    properties: { euros: { type: 'number' }, lines: { type: 'array', items: { $ref: '#/$defs/line' } } },
    $defs: { line: { type: 'object', properties: { sku: { type: 'string' } } } },
  };
  const channels = {
    euros: { schema: { type: ['integer', 'null'] } },
    name: { schema: { type: 'string' } },
    total: { reducer: 'sum' },
    log: { reducer: 'append' },
    order: { schema: order },
    parcel: { schema: { type: 'object', properties: { length: { type: 'number' } } } },
    any: {},
  };
  const reading = (expression: string, edges: Json = [{ from: '__start__', to: 'only' }]): Json => ({
    name: 'first',
    channels,
    nodes: { only: { type: 'set', write: { any: `{{ ${expression} }}` } } },
    edges,
  });
  const convert = '(Use values of one type: string(x) makes a text, double(x) makes a number)';

  test.each([
    ['state.euros > "100"', `state.euros (a number) and "100" (a text) can't be compared ${convert}`],
    ['1 > 0 && state.name >= 5', `state.name (a text) and 5 (a number) can't be compared ${convert}`],
    ['state.euros == "100"', `state.euros (a number) and "100" (a text) are never equal ${convert}`],
    ['state.total != state.name', `state.total (a number) and state.name (a text) are never equal ${convert}`],
    ['state.order.euros < "1"', `state.order.euros (a number) and "1" (a text) can't be compared ${convert}`],
    ['state.order.lines[0].sku == 1', `state.order.lines[0].sku (a text) and 1 (a number) are never equal ${convert}`],
    ['state.log + "done"', `state.log (a list) and "done" (a text) can't be added ${convert}`],
    ['state.name * 2', `state.name (a text) and 2 (a number) can't be multiplied ${convert}`],
    ['state.any.length', '"state.any.length" fails if state.any is a text or a list (CEL writes size(state.any))'],
    ['state.order.lines.length', '"state.order.lines" has no member "length". CEL writes size(state.order.lines)'],
    ['state.log.length', '"state.log" has no member "length". CEL writes size(state.log)'],
    [
      'item.name',
      '"item" is always null here: no edge with forEach leads to this node (Lead to the node by an edge with `forEach`)',
    ],
    ['result.id', '"result" is always null here: this node has no result (Write in the node that has the result)'],
  ])('the expression %s is reported', (expression, line) => {
    expect(linesOf(reading(expression))).toEqual([`/nodes/only/write/any: ${line}`]);
  });

  test.each([
    'state.euros > 100',
    'string(state.euros) == "100"',
    'state.euros == null',
    'state.any == "100"',
    'state.order.unknown == 1',
    'state.order.?euros.orValue("none") == "none"',
    'state.log.map(state, state.name + 1)',
    'state.parcel.length * 2',
    'state.total / 2 > 1.5',
    'state.log.exists(item, item == 1)',
  ])('the expression %s is not reported', (expression) => {
    expect(linesOf(reading(expression))).toEqual([]);
  });

  test('the item of a node that a forEach leads to is not reported', () => {
    const edges = [{ from: '__start__', forEach: 'state.log', to: 'only' }];
    expect(linesOf(reading('item.name', edges))).toEqual([]);
  });

  test('the item in an expression of an edge is reported', () => {
    const edges = [{ from: '__start__', branches: [{ when: 'index > 0', to: 'only' }, { to: '__end__' }] }];
    expect(linesOf(reading('1', edges))).toEqual([
      '/edges/0/branches/0/when: "index" is always null here: an edge has no item (Write what it needs to a channel, and read that)',
    ]);
  });
});

describe('a name that is known elsewhere', () => {
  test.each<[string, object, string]>([
    ['a result', { type: 'tool', tool: 'pay', args: '{{ result.id }}' }, 'A result is known in `write` of its node'],
    ['an error', { type: 'set', write: { text: '{{ error.code }}' } }, 'An error is known in `write` of `onError`'],
  ])('the message about %s says where it is known', (_what, node, hint) => {
    expect(linesOf(graph({ ...node }))[0]).toContain(hint);
  });
});

test('a hint for an optional chain uses the names of the expression', () => {
  expect(linesOf(writing('{{ state.text?.name }}'))[0]).toContain('. CEL writes state.text.?name.orValue(null)');
});

test.each([
  ['a template', writing('{{ state.text === 1 }}')],
  ['a template beside valid texts', writing({ a: '{{ 1 }}', b: '{{ state["text"] === 1 }}' })],
  ['a condition', edge({ branches: [{ when: 'state.text?.a', to: 'only' }, { to: '__end__' }] })],
])('a channel that only an invalid expression reads is not reported as unused: %s', (_what, definition) => {
  const issues = validateGraph(definition, catalog);
  expect(issues.filter(({ code }) => code === 'UNUSED_CHANNEL')).toEqual([]);
});
