import * as fc from 'fast-check';
import {
  hostileCondition,
  hostileList,
  hostileReducer,
  hostileRoute,
  hostileSchema,
  hostileTemplate,
  hostileText,
  hostileValue,
} from './arbitraries.ts';

/** A request or signal of an untrusted client. Bodies are text, because not all of them are JSON. */
export type Attack =
  | { readonly kind: 'validate' | 'publish' | 'start' | 'input'; readonly body: string }
  | { readonly kind: 'reply'; readonly reply: string; readonly contentType: string }
  | { readonly kind: 'model'; readonly reply: string }
  | { readonly kind: 'signal'; readonly name: string; readonly payload: string; readonly asTemporal: boolean };

const SIGNALS = [
  'approve',
  'reject',
  'signal',
  'resume',
  'replan',
  'edit',
  'retry',
  'skip',
  'fail',
  'pause',
  'cancel',
  'no-such',
];

/** Texts that are no JSON, or unusual JSON. */
const oddText = fc.oneof(
  fc.constantFrom('', '{', 'null', '[]', '1e999', '{"a":1,"a":2}', '{"input":{"l":1e999}}', '"\\ud800"', '\u0000'),
  fc.integer({ min: 101, max: 50_000 }).map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
  fc.integer({ min: 1_048_577, max: 1_200_000 }).map((length) => `{"graph":"${'x'.repeat(length)}"}`),
);

const node = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .dictionary(fc.constantFrom('out', 'o', 'r', 's'), hostileTemplate, { minKeys: 1, maxKeys: 4 })
      .map((write) => ({ type: 'set', write })),
  },
  fc.record({
    type: fc.constant('tool'),
    tool: fc.constant('echo'),
    args: fc.record({ what: hostileTemplate }),
    write: fc.constant('o'),
  }),
  fc.record({
    type: fc.constant('approval'),
    title: hostileText,
    details: hostileText,
    args: fc.record({ a: hostileTemplate }),
    onReject: fc.constant('fail'),
  }),
  fc.record({ type: fc.constant('wait'), for: fc.constantFrom<unknown>('1ms', '10ms', '-1s', '1e9d', 5) }),
  fc.record({
    type: fc.constant('llm'),
    model: fc.constant('default'),
    prompt: hostileText,
    output: fc.record({ schema: hostileSchema }),
  }),
  fc.record({ type: fc.constantFrom('set', 'subgraph', 'agent', 'no-such'), graph: hostileValue, write: hostileValue }),
);

const edgeBetween = fc.oneof(
  fc.constant({ from: 'a', to: 'b' }),
  fc.constant({ from: 'a', to: ['b', 'a'] }),
  fc.array(hostileCondition, { minLength: 1, maxLength: 30 }).map((conditions) => ({
    from: 'a',
    branches: [...conditions.map((when) => ({ when, to: 'b' })), { to: '__end__' }],
  })),
  hostileList.map((forEach) => ({ from: 'a', forEach, to: 'b' })),
  hostileRoute.map((route) => ({ from: 'a', route, paths: { b: 'b' }, default: '__end__' })),
);

/** A well-formed graph with expensive parts; `begin` moves its first step to a later activation. */
const shaped = fc
  .record({
    begin: fc.constantFrom(null, { type: 'wait', for: '10ms' }),
    a: node,
    b: node,
    edge: edgeBetween,
    reducer: hostileReducer,
    schema: fc.option(hostileSchema, { freq: 3 }),
  })
  .map(({ begin, a, b, edge, reducer, schema }) => ({
    name: 'hostile',
    channels: {
      l: { default: Array.from({ length: 300 }, (_, at) => at) },
      s: { default: 'x'.repeat(20_000) },
      o: {},
      r: { reducer, ...(schema !== null && { schema }) },
      out: {},
    },
    input: ['s', 'o', 'r'],
    output: ['out'],
    nodes: { ...(begin && { begin }), a, b },
    edges: [
      ...(begin
        ? [
            { from: '__start__', to: 'begin' },
            { from: 'begin', to: 'a' },
          ]
        : [{ from: '__start__', to: 'a' }]),
      edge,
      { from: 'b', to: '__end__' },
    ],
    limits: { maxSteps: 20 },
  }));

/** A graph that is unusual only by its size. */
const large = fc.oneof(
  fc.integer({ min: 100, max: 3_000 }).map((count) => {
    const ids = Array.from({ length: count }, (_, at) => `n${at}`);
    return {
      name: 'wide',
      nodes: Object.fromEntries(ids.map((id) => [id, { type: 'set' }])),
      edges: [...ids.map((id) => ({ from: '__start__', to: id })), ...ids.map((id) => ({ from: id, to: '__end__' }))],
    };
  }),
  fc.integer({ min: 2, max: 10 }).map((levels) =>
    Array.from({ length: levels }).reduce<unknown>(
      (graph) => ({
        name: 'deep',
        nodes: { a: { type: 'subgraph', graph }, b: { type: 'subgraph', graph } },
        edges: [
          { from: '__start__', to: ['a', 'b'] },
          { from: ['a', 'b'], to: '__end__' },
        ],
      }),
      {
        name: 'leaf',
        nodes: { a: { type: 'set' } },
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', to: '__end__' },
        ],
      },
    ),
  ),
);

const definition: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: shaped },
  { weight: 1, arbitrary: large },
  { weight: 1, arbitrary: hostileValue },
);

const toText = (value: unknown): string => JSON.stringify(value) ?? 'null';

const anyAttack: fc.Arbitrary<Attack> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ graph: definition, input: fc.dictionary(fc.constantFrom('o', 'r'), hostileValue, { maxKeys: 1 }) })
      .map((body) => ({ kind: 'start' as const, body: toText(body) })),
  },
  { weight: 2, arbitrary: definition.map((graph) => ({ kind: 'validate' as const, body: toText(graph) })) },
  { weight: 1, arbitrary: definition.map((graph) => ({ kind: 'publish' as const, body: toText(graph) })) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('validate' as const, 'publish' as const, 'start' as const),
      body: oddText,
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .dictionary(fc.constantFrom('text', 'list', 'chat', 'bag', 'no'), hostileValue)
      .map((input) => ({ kind: 'input' as const, body: toText({ graph: 'open', input }) })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reply' as const),
      reply: fc.oneof(oddText, hostileValue.map(toText)),
      contentType: fc.constantFrom(
        'application/json',
        'text/plain',
        'application/json; charset=utf-16',
        'nonsense',
        '',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('model' as const),
      reply: fc.oneof(oddText, hostileValue.map(toText), hostileValue.map(asToolCall)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('signal' as const),
      name: fc.constantFrom(...SIGNALS),
      payload: fc.oneof(
        oddText,
        hostileValue.map(toText),
        hostileValue.map((values) =>
          toText({ values, payload: values, args: values, event: 'e', node: 'done', reason: 'x' }),
        ),
      ),
      asTemporal: fc.boolean(),
    }),
  },
);

/** An answer of a model that calls a tool. */
function asToolCall(args: unknown): string {
  const call = { id: 'c1', type: 'function', function: { name: 'echo', arguments: toText(args) } };
  const choice = {
    index: 0,
    finish_reason: 'tool_calls',
    message: { role: 'assistant', content: null, tool_calls: [call] },
  };
  return toText({
    id: '1',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [choice],
    usage: { prompt_tokens: 1e308, completion_tokens: -1 },
  });
}

/** The attacks of a seed; a longer list of the same seed begins with the same ones. */
export function drawAttacks(count: number, seed: number): readonly Attack[] {
  return fc.sample(anyAttack, { seed, numRuns: count });
}
