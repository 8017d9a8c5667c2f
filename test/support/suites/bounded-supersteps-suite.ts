import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { heldBytes } from '../../../src/graph/run/held-bytes.ts';
import type { RunErrorCode } from '../../../src/graph/values/errors.ts';
import { jsonSize } from '../../../src/graph/values/json-size.ts';
import { unitsSpent } from '../../../src/graph/values/meter.ts';
import { aCatalog, aDefinition } from '../builders/builders.ts';
import {
  COSTLY,
  COSTLY_TEXT,
  LARGE,
  edges,
  elements,
  elementsWithOnError,
  inside,
  loop,
  nested,
  nodes,
  customReducer,
} from '../builders/hostile-shapes.ts';
import { runInMemory } from '../doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../doubles/memory-shell.ts';

/*
 * The computation and memory of a run are bounded as a whole, whatever causes them: a superstep with all its tasks and
 * edges, and a run that only computes with all its supersteps. The run ends with an error that names the exceeded
 * limit.
 */

const SUPERSTEP = 20_000_000;
/** The maximum by which one advance may exceed the limit that ends a run. */
const BEYOND = 10_000_000;
const HELD = 64_000_000;
const ERRORS = 1_000_000;

const REPLY = 'y'.repeat(900_000);
const outside: Outside = { tool: () => REPLY, function: () => REPLY, node: () => REPLY, model: () => REPLY };
const set = (write: NodeDefinition['write']): NodeDefinition => ({ type: 'set', ...(write && { write }) });
const lookup = (key: string, more: object = {}): NodeDefinition => ({
  type: 'tool',
  tool: 'lookup',
  args: { key },
  ...more,
});
const asks = (fields: object): NodeDefinition => ({ type: 'approval', title: 'May I?', ...fields });

interface Played extends MemoryRun {
  readonly units: number;
  /** The bytes of all events. */
  readonly said: number;
}

function play(definition: GraphDefinition): Played {
  const before = unitsSpent();
  const run = runInMemory({ definition, catalog: aCatalog(), input: {} }, outside);
  const units = unitsSpent() - before;
  return Object.assign(Object.create(run), {
    units,
    said: run.events.reduce((sum, event) => sum + jsonSize(event), 0),
  });
}

const TOO_DEAR = 'EXPRESSION_FAILED';
const TOO_LARGE = 'PAYLOAD_TOO_LARGE';
const TOO_MANY = 'GRAPH_RECURSION_LIMIT';

/** A graph, the code with which its run or its first node fails, and the maximum units. */
type Case = readonly [string, GraphDefinition, RunErrorCode, number?];

const CASES: readonly Case[] = [
  ['costly writes of nodes', nodes((channel) => set({ [channel]: COSTLY_TEXT })), TOO_DEAR],
  ['costly writes of elements', elements(set({ out: COSTLY_TEXT })), TOO_DEAR],
  ['costly writes whose failures are forgiven', elementsWithOnError(set({ out: COSTLY_TEXT })), TOO_DEAR],
  [
    'costly writes of onError',
    elements({ ...set({ out: '{{ parseJson("{") }}' }), onError: { to: 'end', write: { out: COSTLY_TEXT } } }, 300, {
      nodes: { end: { type: 'set' } },
    }),
    TOO_DEAR,
  ],
  ['costly titles', elements(asks({ title: COSTLY_TEXT })), TOO_DEAR],
  ['costly details', elements(asks({ details: { a: COSTLY_TEXT } })), TOO_DEAR],
  ['costly arguments', elements(lookup('{{ string({}) }}'.replace('{}', COSTLY))), TOO_DEAR],
  ['costly writes of results', elements(lookup('k', { write: { out: COSTLY_TEXT } })), TOO_DEAR, 300_000_000],
  ['costly prompts', elements({ type: 'llm', prompt: COSTLY_TEXT }), TOO_DEAR],
  [
    'costly inputs of graphs',
    elements({
      type: 'subgraph',
      graph: aDefinition({ channels: { v: {} }, nodes: { x: { type: 'set' } } }),
      input: { v: COSTLY_TEXT },
    }),
    TOO_DEAR,
  ],
  ['costly nodes of a graph inside', inside(elements(set({ out: COSTLY_TEXT }))), TOO_DEAR],
  ['costly nodes of graphs inside', nested(2, 30, set({ out: COSTLY_TEXT })), TOO_DEAR],
  ['a costly loop in a graph inside', inside(loop(set({ one: COSTLY_TEXT }))), TOO_DEAR],
  [
    'costly conditions',
    edges(...many((at) => ({ from: 'a', branches: [{ when: `${COSTLY} == ${at + 1}`, to: 'b' }] }))),
    TOO_DEAR,
  ],
  ['costly routes', edges(...many(() => ({ from: 'a', route: `string(${COSTLY})`, paths: { '0': 'b' } }))), TOO_DEAR],
  ['costly lists of elements', edges(...many(() => ({ from: 'a', forEach: `[${COSTLY}]`, to: 'b' }))), TOO_DEAR],
  [
    'a costly reducer',
    customReducer(
      `[0.0].map(z, size([${'1,'.repeat(299)}1].filter(x, [${'1,'.repeat(299)}1].exists(y, x + y == -1)))) == [] ? 1 : 0`,
      1,
    ),
    TOO_DEAR,
  ],
  ['large writes of elements', elements(set({ out: LARGE }), 100), TOO_LARGE],
  ['large writes whose failures are forgiven', elementsWithOnError(set({ out: LARGE }), 100), TOO_LARGE],
  ['large writes of nodes', nodes((channel) => set({ [channel]: LARGE }), 70), TOO_LARGE],
  ['a list that grows', loop(set({ out: LARGE }), 25), TOO_LARGE],
  [
    'a list that an expression grows',
    loop(set({ one: '{{ (state.one == null ? [] : state.one) + [state.s] }}' }), 25),
    TOO_LARGE,
  ],
  ['an object that grows', loop(set({ merged: '{{ {string(state.n): state.s} }}' }), 25), TOO_LARGE],
  ['a union that grows', loop(set({ unit: '{{ state.s + string(state.n) }}' }), 25), TOO_LARGE],
  [
    'a reducer that doubles',
    customReducer('current == null ? [update] : current + current', 'x'.repeat(1_000), 40),
    TOO_LARGE,
  ],
  ['large details', elements(asks({ details: LARGE }), 40), TOO_LARGE],
  ['large titles', elements(asks({ title: LARGE }), 40), TOO_LARGE],
  ['large arguments to approve', elements(asks({ args: { text: LARGE } }), 40), TOO_LARGE],
  ['large arguments of calls', elements(lookup(LARGE), 100), TOO_LARGE],
  ['large prompts', elements({ type: 'llm', prompt: LARGE }, 100), TOO_LARGE],
  ['large systems of models', elements({ type: 'llm', system: LARGE, prompt: 'x' }, 100), TOO_LARGE],
  ['large results', elements(lookup('k', { write: 'out' }), 100), TOO_LARGE],
  [
    'large compensations',
    elements(
      lookup('k', {
        compensate: { tool: 'lookup', args: { key: 'k', value: '{{ state.s }}{{ state.s }}{{ state.s }}' } },
      }),
      900,
    ),
    TOO_LARGE,
  ],
  [
    'large inputs of graphs',
    elements(
      {
        type: 'subgraph',
        graph: aDefinition({ channels: { v: {} }, nodes: { x: { type: 'wait', event: 'never' } } }),
        input: { v: LARGE },
      },
      100,
    ),
    TOO_LARGE,
  ],
  [
    'large elements',
    edges(
      ...many(
        () => ({ from: 'a', forEach: '[[state.s, state.s, state.s, state.s, state.s, state.s, state.s]]', to: 'b' }),
        40,
      ),
    ),
    TOO_LARGE,
  ],
  [
    'large writes of onError',
    elements({ ...set({ out: '{{ parseJson("{") }}' }), onError: { to: 'end', write: { out: LARGE } } }, 100, {
      nodes: { end: { type: 'set' } },
    }),
    TOO_LARGE,
  ],
  ['a thousand times a thousand tasks', nested(2, 1_000, set({ out: 'x' })), TOO_MANY],
  ['forty times forty times forty tasks', nested(5, 40, set({ out: 'x' })), TOO_MANY],
];

function many<T>(make: (at: number) => T, count = 300): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** One graph of each kind; the others together take a minute. */
const FIRST: ReadonlySet<string> = new Set([
  'costly writes of nodes',
  'costly routes',
  'a costly reducer',
  'large writes of elements',
  'a list that grows',
  'large details',
  'large compensations',
  'a thousand times a thousand tasks',
]);

/** Tests that expensive definitions end within the limits of a run. */
export function boundedSuperstepsSuite(part: 'first' | 'others'): void {
  const cases = CASES.filter(([what]) => FIRST.has(what) === (part === 'first'));
  describe('a run ends, or waits for people, within its limits although its graph has', () => {
    test.each(cases.map(([what, definition, code, units = SUPERSTEP]) => ({ what, definition, code, units })))(
      '$what',
      { timeout: 120_000 },
      ({ definition, code, units }) => {
        const played = play(definition);
        const { run, events } = played;
        const failures = events.flatMap((event) => (event.type === 'node.failed' ? [event.error.code] : []));
        expect([run.error?.code, ...failures]).toContain(code);
        expect(['failed', 'waiting']).toContain(run.status);
        expect(heldBytes(run)).toBe(heldBytes(structuredClone(run)));
        expect(heldBytes(run)).toBeLessThan(HELD + ERRORS);
        expect(played.units).toBeLessThan(units + BEYOND);
        // Each value that is held was emitted once or twice: as a result, and as an update.
        expect(played.said).toBeLessThan(3 * HELD);
      },
    );
  });
}
