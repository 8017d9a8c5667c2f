import * as fc from 'fast-check';
import { hasErrors } from '../../../src/graph/definition/definition.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { hostileCondition, hostileTemplate } from '../../hostile/arbitraries.ts';
import { randomCatalog } from './random-graphs.ts';

/** An expression whose cost grows with the square of a number. */
const pairs = (count: number): string =>
  `state.l.filter(x, x < ${count}).exists(x, state.l.filter(y, y < ${count}).exists(z, x + z + size(state.s) < 0))`;

const condition = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60 }).map(pairs) },
  fc.constantFrom('state.s.matches("x{3,40}$")', '[state.l, state.l] == [state.l, state.l]', 'state.t == state.o'),
  { weight: 1, arbitrary: hostileCondition },
);
const PARTS = [
  'state',
  'state.l.map(x, state.s)',
  'json(state.t)',
  'json(json(state.s))',
  'state.s.split("x")',
  'state.s.replace("x", "yy")',
  'timestamp("2024-01-01T00:00:00Z") + duration("1h")',
];
const template = fc.oneof(
  { weight: 4, arbitrary: condition.map((expression) => `{{ ${expression} }}`) },
  { weight: 3, arbitrary: fc.constantFrom(...PARTS).map((expression) => `{{ ${expression} }}`) },
  fc
    .tuple(condition, fc.integer({ min: 2, max: 30 }))
    .map(([expression, times]) => `{{ ${expression} }} `.repeat(times)),
  hostileTemplate,
);
const setNode = fc
  .dictionary(fc.constantFrom('o', 'r', 't'), template, { minKeys: 1, maxKeys: 3 })
  .map((write) => ({ type: 'set', write }));

const edge = fc.oneof(
  fc.constant({ to: 'join' }),
  fc.array(condition, { minLength: 1, maxLength: 10 }).map((conditions) => ({
    branches: [...conditions.map((when) => ({ when, to: 'b' })), { to: 'join' }],
  })),
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: 1, max: 50 })
      .map((length) => ({ forEach: `state.l.filter(x, x < ${length})`, to: 'b' })),
  },
  condition.map((when) => ({ route: `${when} ? "b" : "c"`, paths: { b: 'b' }, default: 'join' })),
);

const reducer = fc.oneof(
  fc.constantFrom<unknown>('append', 'union', 'merge', 'replace'),
  fc
    .constantFrom(
      '[update]',
      'current == null ? [update] : current + [update]',
      '[[current, update], json(update)]',
      '[1, 2, 3].map(x, [x, update])',
    )
    .map((expr) => ({ expr })),
);

const branch = { type: 'array', items: { $ref: '#/$defs/t' } };
const schema = fc.constantFrom<unknown>(
  true,
  { type: 'string', pattern: '(a+)+$' },
  { patternProperties: { '^\\p{L}{1,20}$': { type: 'string' } } },
  {
    $ref: '#/$defs/t',
    $defs: { t: { anyOf: [{ type: ['string', 'boolean', 'null'] }, branch, { ...branch, minItems: 1 }] } },
  },
  { uniqueItems: true, items: { enum: Array.from({ length: 500 }, (_, at) => at) } },
  { items: { type: 'string', maxLength: 100, format: 'date-time' } },
);

const VALUES = {
  l: { default: Array.from({ length: 100 }, (_, at) => at) },
  s: { default: 'x'.repeat(2_000) },
  o: { reducer: 'append' },
  t: { reducer: 'append' },
};

const inGraph = (inner: object): object => ({
  type: 'subgraph',
  graph: {
    name: 'inner',
    channels: { ...VALUES, r: {} },
    nodes: { nap: { type: 'wait', for: '1s' }, inner },
    edges: [
      { from: '__start__', to: 'nap' },
      { from: 'nap', to: 'inner' },
    ],
  },
});

/** Valid graphs whose parts are expensive. */
export const expensiveGraph: fc.Arbitrary<GraphDefinition> = fc
  .record({
    a: setNode,
    b: fc.oneof(setNode, setNode.map(inGraph)),
    edge,
    reducer,
    schema,
  })
  .map(({ a, b, edge: onward, reducer: reduce, schema: checked }) => ({
    name: 'dear',
    channels: { ...VALUES, r: { reducer: reduce, schema: checked } },
    nodes: { wait: { type: 'wait', for: '1s' }, a, b, join: { type: 'set', defer: true } },
    edges: [
      { from: '__start__', to: 'wait' },
      { from: 'wait', to: 'a' },
      { from: 'a', ...onward },
      { from: 'b', to: 'join' },
    ],
    limits: { maxSteps: 10 },
  }))
  .map((definition) => toJson(JSON.parse(JSON.stringify(definition))))
  .filter(isValid);

function isValid(definition: unknown): definition is GraphDefinition & Json {
  return !hasErrors(validateGraph(toJson(definition), randomCatalog));
}
