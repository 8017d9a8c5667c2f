import * as fc from 'fast-check';
import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import type { WriteDefinition } from '../../../src/graph/definition/common-fields.ts';
import type {
  ChannelDefinition,
  EdgeDefinition,
  GraphDefinition,
  NodeDefinition,
} from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aCatalog } from './builders.ts';

/*
 * Graphs whose runs end for any occurrences in any order: loops are bounded by `maxSteps` and `maxVisits`, and
 * the arguments of a call contain its answer.
 */

/** A graph that models may call: it works, requests an approval, waits, and may fail. */
const HELPER: GraphDefinition = {
  name: 'helper',
  channels: { give: {}, log: { reducer: 'append' } },
  nodes: {
    work: { type: 'tool', tool: 'work', args: { give: '{{ state.give }}' }, write: 'log' },
    risky: { type: 'tool', tool: 'risky', args: { give: 'r' }, onError: 'intervene', write: { log: 'r' } },
    nap: { type: 'wait', for: '5s', write: { log: 'n' } },
    ask: { type: 'approval', title: 'no', onReject: 'fail', write: { log: 'a' } },
  },
  edges: [
    { from: '__start__', branches: [{ when: 'state.give == null', to: ['nap', 'ask'] }, { to: ['work', 'nap'] }] },
    { from: 'nap', branches: [{ when: 'state.give == "ok"', to: 'risky' }, { to: '__end__' }] },
  ],
  input: ['give'],
  output: ['log'],
};

export const randomCatalog: Catalog = aCatalog({
  graphs: { 'helper@1': HELPER },
  tools: {
    work: { description: 'Work', parameters: {}, effect: 'keyed' },
    other: { description: 'Work, or work elsewhere', parameters: {}, effect: 'keyed', onFailure: 'work' },
    risky: { description: 'Work, or ask', parameters: {}, effect: 'unsafe', onFailure: 'intervene', approval: 'never' },
    asked: { description: 'Work when allowed', parameters: {}, effect: 'unsafe' },
  },
  functions: { obey: { effect: 'idempotent' } },
});

const CHANNELS: Readonly<Record<string, ChannelDefinition>> = {
  log: { reducer: 'append' },
  seen: { reducer: 'union' },
  bag: { reducer: 'merge' },
  total: { reducer: 'sum' },
  low: { reducer: 'min' },
  high: { reducer: 'max' },
  all: { reducer: 'and' },
  any: { reducer: 'or' },
  chat: { reducer: 'messages' },
  folded: { reducer: { expr: "current + ',' + update" }, default: '' },
  last: {},
  brief: { reducer: 'append', ephemeral: true },
  items: { default: [3, 1, 2] },
  none: { default: [] },
};

/** Random writes of the node with the given id. A result is text, an object or nothing. */
const writesOf = (id: string): fc.Arbitrary<WriteDefinition> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant('log') },
    {
      weight: 6,
      arbitrary: fc
        .subarray<readonly [string, Json]>([
          ['log', `${id}{{ run.visit }}{{ index }}`],
          ['seen', id],
          ['bag', { [id]: '{{ run.visit }}' }],
          ['total', 1],
          ['low', '{{ run.visit }}'],
          ['high', '{{ size(state.log) }}'],
          ['all', '{{ state.total < 4 }}'],
          ['any', '{{ state.total > 4 }}'],
          ['chat', { id: `${id}{{ run.visit }}`, role: 'user', content: 'hello' }],
          ['folded', id],
          ['brief', '{{ size(state.brief) }}'],
        ])
        .map((entries) => Object.fromEntries(entries)),
    },
    { weight: 1, arbitrary: fc.constant({ last: id, log: '{{ state.last }}' }) },
  );

/** Expressions that are sometimes true. */
const conditions = fc.constantFrom('true', 'false', 'state.total > 2', 'size(state.log) < 3');

const someOf = (ids: readonly string[]): fc.Arbitrary<string[]> =>
  fc.subarray([...ids], { minLength: 1, maxLength: Math.min(2, ids.length) });

interface Place {
  readonly id: string;
  readonly ids: readonly string[];
  readonly depth: number;
}

function common({ id, ids }: Place): fc.Arbitrary<object> {
  return fc.record(
    {
      write: writesOf(id),
      maxVisits: fc.integer({ min: 2, max: 4 }),
      defer: fc.boolean(),
      onError: fc.oneof(
        fc.constant('intervene' as const),
        fc.constantFrom(...ids).map((to) => ({ to, write: { log: '{{ error.code }}' } })),
      ),
    },
    { requiredKeys: ['write'] },
  );
}

function randomNode(place: Place): fc.Arbitrary<NodeDefinition> {
  const kinds: fc.Arbitrary<object>[] = [
    fc.constant({ type: 'set' }),
    fc.constant({ type: 'set' }),
    fc.constant({ type: 'tool', tool: 'work', args: { give: `${place.id}!` } }),
    fc.constant({ type: 'tool', tool: 'work', args: { give: { at: '{{ run.visit }}' } } }),
    fc.constant({ type: 'tool', tool: 'work', args: { fail: 'no' }, onError: 'intervene' }),
    randomFunction(place),
    fc.constantFrom(
      { type: 'wait', for: '5s' },
      { type: 'wait', until: '2026-01-02T04:00:00Z' },
      { type: 'wait', until: '2020-01-01T00:00:00Z' },
      { type: 'wait', event: 'go' },
      { type: 'wait', event: 'go', timeout: '3d' },
      { type: 'wait', event: 'go', deadline: '3d' },
    ),
    fc.constantFrom(
      { type: 'approval', title: 'yes' },
      { type: 'approval', title: 'no' },
      { type: 'approval', title: 'no', onReject: 'fail' },
    ),
    randomTalk,
    randomTalk,
    fc.constant({ type: 'tool', calls: 'chat', tools: ['work', 'other', 'risky', 'asked', { graph: 'helper@1' }] }),
    ...(place.depth > 0 ? [randomSubgraph(place)] : []),
  ];
  return fc
    .tuple(fc.oneof(...kinds), common(place))
    .map(([own, shared]) => toNode({ ...shared, ...own, ...(textResult(own) ? {} : withoutText(shared)) }));
}

function toNode(value: object): NodeDefinition {
  if (isNode(value)) return value;
  throw new TypeError('A node has a type');
}

function isNode(value: object): value is NodeDefinition {
  return 'type' in value;
}

/** True if the log can store the complete result. A `set` has none, and that of an approval contains the time. */
const textResult = (own: object): boolean => !('type' in own && (own.type === 'set' || own.type === 'approval'));

/** Removes a `write` of the complete result into the log. */
const withoutText = (shared: object): object => ('write' in shared && shared.write === 'log' ? { write: {} } : {});

const toolCalls = fc.array(
  fc.record({
    id: fc.constantFrom('', 'c', 'd'),
    name: fc.constantFrom('work', 'work', 'other', 'risky', 'asked', 'helper', 'helper', 'none'),
    args: fc.constantFrom<Json>({ give: 'ok' }, { give: { a: [1] } }, {}, { fail: 'no' }, { lose: true }),
  }),
  { maxLength: 3 },
);

/** Models and agents that follow the instructions in their system text. */
const randomTalk: fc.Arbitrary<object> = fc
  .record({
    type: fc.constantFrom('llm', 'agent', 'agent', 'agent'),
    turns: fc.array(fc.oneof({ weight: 9, arbitrary: toolCalls }, { weight: 1, arbitrary: fc.constant('down') }), {
      maxLength: 3,
    }),
    said: fc.constantFrom({ prompt: 'Go' }, { messages: 'chat' }),
    tools: fc.subarray<string | { readonly graph: string }>(['work', 'other', 'risky', 'asked', { graph: 'helper@1' }]),
    more: fc.constantFrom(
      {},
      { maxIterations: 1 },
      { maxIterations: 2, deadline: '3d' },
      { approve: { work: 'args != {}' } },
    ),
  })
  .map(({ type, turns, said, tools, more }) => ({
    type,
    system: JSON.stringify(turns).replaceAll('{{', '{ {').replaceAll('}}', '} }'),
    tools,
    ...said,
    ...(type === 'agent' && (!('approve' in more) || tools.includes('work')) && more),
  }));

function randomFunction({ ids, id }: Place): fc.Arbitrary<object> {
  const command = fc.record(
    {
      update: fc.constant({ log: `${id}()` }),
      goto: someOf(ids),
      control: fc.constantFrom('continue', 'continue', 'pause', 'pause', 'replan', 'abort'),
    },
    { requiredKeys: ['update'] },
  );
  return command.map((give) => ({ type: 'function', function: 'obey', args: { give }, mayGoto: ids }));
}

function randomSubgraph({ depth }: Place): fc.Arbitrary<object> {
  const input = { total: '{{ state.total }}' };
  return fc
    .tuple(randomGraph(depth - 1, 3), fc.constantFrom({}, { deadline: '3d' }))
    .map(([graph, more]) => ({ type: 'subgraph', graph, input, ...more }));
}

/** Most edges lead forward. Those that lead back make loops. */
function randomEdge(ids: readonly string[]): fc.Arbitrary<EdgeDefinition> {
  return fc.tuple(fc.nat(ids.length - 1), fc.integer({ min: 0, max: 4 })).chain(([at, chance]) => {
    const later = ids.slice(at + 1);
    return edgeFrom(at, ids, chance === 0 ? ids : later);
  });
}

function edgeFrom(at: number, ids: readonly string[], targets: readonly string[]): fc.Arbitrary<EdgeDefinition> {
  const from = fc.constant(ids[at] ?? '');
  const to = fc.oneof(fc.constantFrom(...targets, '__end__'), ...(targets.length > 0 ? [someOf(targets)] : []));
  const plain = fc.record({ from, to });
  const branches = fc
    .tuple(from, fc.array(fc.record({ when: conditions, to }), { minLength: 1, maxLength: 2 }), fc.option(to))
    .map(([source, some, rest]) => ({ from: source, branches: rest === null ? some : [...some, { to: rest }] }));
  const routed = {
    from,
    route: fc.constantFrom("'a'", "['a', 'b']", "state.total > 2 ? 'a' : 'c'", 'state.none', 'state.seen'),
    paths: fc.record({ a: to, b: to }),
    default: to,
  };
  const route = fc.record(routed);
  if (targets.length === 0) return fc.oneof(plain, branches, route);
  const elements = {
    from,
    forEach: fc.constantFrom('state.items', 'state.none', '[1, 2]', 'state.seen'),
    maxConcurrency: fc.constantFrom(1, 2),
  };
  const forEach = fc.record(
    { ...elements, to: fc.constantFrom(...targets) },
    { requiredKeys: ['from', 'forEach', 'to'] },
  );
  const routedElements = fc.record(
    { ...elements, ...routed },
    { requiredKeys: ['from', 'forEach', 'route', 'paths', 'default'] },
  );
  const join = fc.record({
    from: fc.subarray([...ids], { minLength: Math.min(2, ids.length), maxLength: Math.min(3, ids.length) }),
    to: someOf(targets),
  });
  return fc.oneof(plain, plain, branches, route, forEach, forEach, routedElements, join);
}

/** Graphs of a few nodes, with subgraphs up to `depth` levels. */
export function randomGraph(depth: number, maxNodes: number): fc.Arbitrary<GraphDefinition> {
  return fc.integer({ min: 1, max: maxNodes }).chain((size) => {
    const ids = Array.from({ length: size }, (_, at) => `n${at}`);
    const nodes = fc.tuple(...ids.map((id) => randomNode({ id, ids, depth })));
    return fc
      .record({
        nodes,
        first: someOf(ids),
        edges: fc.array(randomEdge(ids), { minLength: size - 1, maxLength: size + 2 }),
        maxSteps: fc.constantFrom(4, 8, 12),
        maxConcurrency: fc.constantFrom(1, 2, 100),
        before: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someOf([...ids, '*']) }),
        after: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someOf([...ids, '*']) }),
      })
      .map((parts) => ({
        name: 'random',
        channels: CHANNELS,
        nodes: Object.fromEntries(parts.nodes.map((node, at) => [`n${at}`, node])),
        edges: withoutDoubles([{ from: '__start__', to: parts.first }, ...parts.edges]),
        output: Object.keys(CHANNELS).filter((name) => name !== 'brief'),
        limits: { maxSteps: parts.maxSteps, maxConcurrency: parts.maxConcurrency },
        interruptBefore: parts.before,
        interruptAfter: parts.after,
      }));
  });
}

function withoutDoubles(edges: readonly EdgeDefinition[]): EdgeDefinition[] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}
