import { afterEach, describe, expect, test, vi } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileShared } from '../../src/graph/compile/compile.ts';
import type { ChannelDefinition, GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { MAX_HELD_BYTES, heldBytes } from '../../src/graph/run/held-bytes.ts';
import type { Run } from '../../src/graph/run/run.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/* The bytes that the open tasks of a run hold together are limited, however many tasks there are. */

const LARGE = 'x'.repeat(900_000);
const catalog = aCatalog();

/** Runs a node for each of many elements. */
function fanOut(each: NodeDefinition, count = 500): GraphDefinition {
  return aDefinition({
    channels: {
      list: { default: Array.from({ length: count }, (_, at) => at) },
      s: { default: LARGE },
      out: { reducer: 'append' },
    },
    nodes: { each },
    edges: [
      { from: '__start__', forEach: 'state.list', to: 'each' },
      { from: 'each', to: '__end__' },
    ],
  });
}

/** Errors of the tasks that fail because of the limit are held as well. */
const ERRORS = 200_000;

/**
 * Reports if a task failed because of the limit, if the held bytes are within the limit, and if the memoized sizes
 * equal the measured ones.
 */
function outcomeOf({ run, events }: MemoryRun) {
  const errors = events.flatMap((event) => (event.type === 'node.failed' ? [event.error] : []));
  return {
    isRefused: errors.some(
      ({ code, message }) => code === 'PAYLOAD_TOO_LARGE' && message.includes(String(MAX_HELD_BYTES)),
    ),
    isBounded: heldBytes(run) <= MAX_HELD_BYTES + ERRORS,
    isCounted: heldBytes(run) === heldBytes(structuredClone(run)),
  };
}

const REFUSED = { isRefused: true, isBounded: true, isCounted: true };

describe('the limit of held bytes', () => {
  test('the limit of held bytes fails a run for the updates of its tasks', () => {
    expect(
      outcomeOf(
        runInMemory(
          { definition: fanOut({ type: 'set', write: { out: '{{ state.s }}{{ index }}' } }), catalog, input: {} },
          {},
        ),
      ),
    ).toEqual(REFUSED);
  });

  test('the limit of held bytes fails a run for the replies that its tasks have received', () => {
    const definition = fanOut(
      { type: 'tool', tool: 'lookup', args: { key: '{{ string(index) }}' }, write: 'out' },
      100,
    );
    expect(outcomeOf(runInMemory({ definition, catalog, input: {} }, { tool: () => LARGE }))).toEqual(REFUSED);
  });

  test('the limit of held bytes fails a run for the channels of its subgraphs', () => {
    const inner = aDefinition({
      channels: { given: {}, copy: {} },
      nodes: { copy: { type: 'set', write: { copy: '{{ state.given }}' } }, wait: { type: 'wait', event: 'never' } },
      edges: [
        { from: '__start__', to: 'copy' },
        { from: 'copy', to: 'wait' },
        { from: 'wait', to: '__end__' },
      ],
    });
    const definition = fanOut({ type: 'subgraph', graph: inner, input: { given: '{{ state.s }}' } }, 100);
    expect(outcomeOf(runInMemory({ definition, catalog, input: {} }, {}))).toEqual(REFUSED);
  });

  test('the limit of held bytes fails a run for large results of small writes to channels of its subgraphs', () => {
    const names = ['a', 'b', 'c', 'd'];
    const channel = { reducer: { expr: 'current + current' }, default: LARGE };
    const inner = aDefinition({
      channels: Object.fromEntries(names.map((name) => [name, channel])),
      nodes: {
        wait: { type: 'wait', for: '1s', write: Object.fromEntries(names.map((name) => [name, 1])) },
        more: { type: 'wait', event: 'never' },
      },
    });
    const found = runInMemory({ definition: fanOut({ type: 'subgraph', graph: inner }, 12), catalog, input: {} }, {});
    expect(heldBytes(found.run)).toBeGreaterThan(40_000_000);
    found.passTime(1_000);
    expect(outcomeOf(found)).toEqual(REFUSED);
  });

  test('the limit of held bytes fails a run for the approvals that it requests', () => {
    const definition = fanOut({ type: 'approval', title: 'May I?', args: { text: '{{ state.s }}' } }, 100);
    expect(outcomeOf(runInMemory({ definition, catalog, input: {} }, {}))).toEqual(REFUSED);
  });
});

test('a run may hold many large values one after the other within the limit of held bytes', () => {
  const definition = aDefinition({
    channels: { s: { default: LARGE }, n: { reducer: 'sum', default: 0 }, out: {} },
    nodes: { a: { type: 'set', write: { out: '{{ state.s }}{{ state.n }}', n: 1 } } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: [{ when: 'state.n < 100', to: 'a' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: 200 },
  });
  const { run } = runInMemory({ definition, catalog, input: {} }, {});
  expect(run.error).toBeNull();
  expect(heldBytes(run)).toBe(0);
});

test('an event that is received and consumed at once does not raise the limit of held bytes', () => {
  const inner = aDefinition({ channels: { s: { default: LARGE } }, nodes: { wait: { type: 'wait', event: 'never' } } });
  const said = { type: 'set', write: { s: '{{ state.s }}' } } as const;
  const { nodes, edges, ...others } = fanOut({ type: 'subgraph', graph: inner }, 100);
  const definition = aDefinition({
    ...others,
    nodes: { ...nodes, a: said, b: said, wait: { type: 'wait', event: 'go' } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'wait' },
      { from: 'wait', forEach: 'state.list', to: 'each' },
      ...edges.slice(1),
    ],
  });
  const graph = compileShared(definition, catalog);
  const begun = startRun(graph, IDENTITY, { input: {}, startedAt: 0 });
  expect(begun.hasYielded).toBe(true);
  const payload = { event: 'go', payload: 'x'.repeat(7_000_000), by: { sub: 'ada', roles: [] } };
  const { run } = advance(graph, begun.run, { kind: 'signal', name: 'event', payload, at: 1 });
  expect(run.bufferedEvents).toEqual([]);
  expect(heldBytes(run)).toBeGreaterThan(MAX_HELD_BYTES - 2 * LARGE.length);
  expect(heldBytes(run)).toBeLessThanOrEqual(MAX_HELD_BYTES + ERRORS);
});

test('a subgraph may hold many large values one after the other within one advance of the run', () => {
  const inner = aDefinition({
    channels: { s: { default: 'x'.repeat(100_000) }, n: { reducer: 'sum', default: 0 }, out: {} },
    nodes: { a: { type: 'set', write: { out: '{{ state.s }}{{ state.n }}', n: 1 } } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: [{ when: 'state.n < 400', to: 'a' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: 500 },
  });
  const definition = aDefinition({ nodes: { sub: { type: 'subgraph', graph: inner } } });
  const { run } = runInMemory({ definition, catalog, input: {} }, {});
  expect(run.error).toBeNull();
});

describe('a list of a subgraph that grows in place', () => {
  /** A subgraph that waits forever after its loop. */
  const around = (inner: GraphDefinition): GraphDefinition =>
    aDefinition({ nodes: { sub: { type: 'subgraph', graph: inner } } });

  test('an append to a list of a subgraph is counted even if a later write of the superstep replaces it', () => {
    const inner = aDefinition({
      channels: { items: { default: [1, 2] }, chat: { reducer: 'messages' }, n: { reducer: 'sum', default: 0 } },
      nodes: {
        say: { type: 'set', write: { n: 1, chat: { id: 'm{{ run.visit }}', role: 'user', content: 'hello' } } },
        wait: { type: 'wait', event: 'never' },
      },
      edges: [
        { from: '__start__', forEach: 'state.items', to: 'say' },
        { from: 'say', branches: [{ when: 'state.n >= 8', to: 'wait' }, { to: 'more' }] },
        { from: 'more', forEach: 'state.items', to: 'say' },
      ],
    });
    const more = { more: { type: 'set' } } as const;
    const { run } = runInMemory(
      { definition: around({ ...inner, nodes: { ...inner.nodes, ...more } }), catalog, input: {} },
      {},
    );
    expect(heldBytes(run)).toBe(heldBytes(structuredClone(run)));
  });

  test.each([40_000, 41_000, 42_000])(
    'an append of %i characters to a list of a subgraph is dropped if it exceeds the limit of held bytes',
    (size) => {
      const names = Array.from({ length: 9 }, (_, at) => `o${at}`);
      const inner = aDefinition({
        channels: {
          s: { default: 'x'.repeat(size) },
          n: { reducer: 'sum', default: 0 },
          ...Object.fromEntries(names.map((name) => [name, { reducer: 'append' as const }])),
        },
        nodes: {
          add: { type: 'set', write: { n: 1, ...Object.fromEntries(names.map((name) => [name, '{{ state.s }}'])) } },
          wait: { type: 'wait', event: 'never' },
        },
        edges: [
          { from: '__start__', to: 'add' },
          { from: 'add', branches: [{ when: 'state.n >= 100', to: 'wait' }, { to: 'add' }] },
        ],
        limits: { maxSteps: 1_000 },
      });
      const found = runInMemory({ definition: fanOut({ type: 'subgraph', graph: inner }, 2), catalog, input: {} }, {});
      expect(outcomeOf(found)).toEqual(REFUSED);
    },
  );
});

/* Sizes are remembered: what has not changed is not read again. */
describe('a run that holds many texts reads few of them again', () => {
  const COUNT = 200;
  const texts = Array.from({ length: COUNT }, (_, at) => `${at}`.padStart(1_000, 'x'));
  const READ_ONCE = COUNT * 1_000;
  const waiting = { wait: { type: 'wait', event: 'never' } } as const;
  const textInside = aDefinition({ channels: { s: { default: 'x'.repeat(1_000) } }, nodes: waiting });
  const looping = (write: JsonObject): GraphDefinition =>
    aDefinition({
      channels: {
        texts: { default: texts, reducer: 'append' },
        many: { default: texts.join('') },
        n: { reducer: 'sum', default: 0 },
      },
      nodes: { go: { type: 'wait', event: 'go', write: { n: 0 } }, add: { type: 'set', write } },
      edges: [
        { from: '__start__', to: 'go' },
        { from: 'go', to: 'add' },
        { from: 'add', branches: [{ when: 'state.n % 8 == 0', to: 'go' }, { to: 'add' }] },
      ],
    });
  const inside = (graph: GraphDefinition): GraphDefinition =>
    aDefinition({ nodes: { sub: { type: 'subgraph', graph } } });
  const elements = aDefinition({
    channels: { list: { default: texts } },
    nodes: waiting,
    edges: [{ from: '__start__', forEach: 'state.list', to: 'wait' }],
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each([
    ['as the elements of a forEach', elements],
    ['in subgraphs', fanOut({ type: 'subgraph', graph: textInside }, COUNT)],
    ['in a subgraph that appends one', inside(looping({ n: 8, texts: 'one more' }))],
    ['in a subgraph that writes something else', inside(looping({ n: 1 }))],
  ])('a run that holds many texts does not measure their sizes again at each step %s', (_place, definition) => {
    const found = runInMemory({ definition, catalog, input: {} }, {});
    found.signal('event', { event: 'go' });
    const read = vi.spyOn(String.prototype, 'charCodeAt');
    found.signal('event', { event: 'go' });
    expect(read.mock.calls.length).toBeLessThan(READ_ONCE / 4);
    expect(found.run.error).toBeNull();
    vi.restoreAllMocks();
    expect(heldBytes(found.run)).toBe(heldBytes(structuredClone(found.run)));
  });
});

test('the held bytes of a list that begins as null are counted by its current size', () => {
  const inner = aDefinition({
    channels: { list: { reducer: 'append', default: null } },
    nodes: { a: { type: 'set', write: { list: ['x'.repeat(300)] } }, wait: { type: 'wait', event: 'never' } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'wait' },
    ],
  });
  const definition = aDefinition({ nodes: { sub: { type: 'subgraph', graph: inner } } });
  const { run } = runInMemory({ definition, catalog, input: {} }, {});
  expect(heldBytes(run)).toBe(heldBytes(structuredClone(run)));
});

describe('held bytes of objects in subgraphs', () => {
  const members = { kept: LARGE, changed: 'before', removed: [LARGE], list: [1, 2, 3] };

  test.each<[string, ChannelDefinition, Json]>([
    ['new members', {}, { one: LARGE, two: { three: 'é'.repeat(300) } }],
    ['changed members', {}, { changed: 'after', list: [4, { five: LARGE }] }],
    ['removed members, and a removed member that never existed', {}, { removed: null, never: null }],
    ['replaced members', {}, { $replace: { changed: 'x'.repeat(300) } }],
    ['members of an ephemeral channel', { ephemeral: true }, { changed: 'after' }],
  ])('held bytes of an object in a subgraph are counted exactly after a write of %s', (_what, definition, update) => {
    const wait: NodeDefinition = { type: 'wait', event: 'write', write: { object: '{{ result }}' } };
    const inner = aDefinition({
      channels: { object: { reducer: 'merge', default: members, ...definition } },
      nodes: { first: wait, second: wait, last: { type: 'wait', event: 'never' } },
      edges: [
        { from: '__start__', to: 'first' },
        { from: 'first', to: 'second' },
        { from: 'second', to: 'last' },
        { from: 'last', to: '__end__' },
      ],
    });
    const graph = compileShared(
      aDefinition({ channels: {}, nodes: { inner: { type: 'subgraph', graph: inner } } }),
      catalog,
    );
    const send = (run: Run, payload: Json): Run => {
      heldBytes(run);
      const event = { event: 'write', payload, by: { sub: 'ada', roles: [] } };
      return advance(graph, run, { kind: 'signal', name: 'event', payload: event, at: 1 }).run;
    };
    const begun = startRun(graph, IDENTITY, { input: {}, startedAt: 0 }).run;
    const after = send(send(begun, update), { list: [4], more: 'x' });
    expect(toRunView(after).waitingFor).toMatchObject([{ kind: 'event', id: 'never' }]);
    expect(heldBytes(after)).toBe(heldBytes(structuredClone(after)));
  });
});
