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
