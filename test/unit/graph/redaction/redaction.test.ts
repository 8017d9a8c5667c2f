import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../../src/graph/definition/definition.ts';
import { findRedaction } from '../../../../src/graph/redaction/find-redaction.ts';
import {
  inheritedByFork,
  inheritedByReplay,
  isRedacting,
  NOTHING_REDACTED,
  hideValuesInText,
  hideMasked,
  restoreMasked,
} from '../../../../src/graph/redaction/redaction.ts';
import type { InheritedRedaction, FieldMask } from '../../../../src/graph/redaction/redaction.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

type Nodes = Readonly<Record<string, NodeDefinition>>;

const CHANNELS = { public: {}, copy: {}, far: {}, talk: { reducer: 'messages' } } as const;

/** A graph without redacted channels. */
function anOpenGraph(nodes: Nodes, over: Partial<GraphDefinition> = {}): GraphDefinition {
  return aDefinition({ channels: CHANNELS, nodes, ...over });
}

const redactionOfRuns = (
  definition: GraphDefinition,
  inherited: InheritedRedaction,
  { graphs = {} }: { graphs?: Record<string, GraphDefinition> } = {},
) => findRedaction({ definition, catalog: { graphs } }, inherited);

describe('redacted channels of another run', () => {
  test('count as redacted', () => {
    const definition = anOpenGraph({ a: { type: 'set', write: { far: '{{ state.public }}' } } });
    expect(redactionOfRuns(definition, { channels: ['public'] }).channels).toEqual(['public', 'far']);
  });

  test('stay redacted if the graph of this run lacks them', () => {
    const redaction = redactionOfRuns(anOpenGraph({ a: { type: 'set' } }), { channels: ['gone'] });
    expect(redaction).toEqual({ ...NOTHING_REDACTED, channels: ['gone'] });
    expect(inheritedByFork(redaction, NOTHING_CARRIED).channels).toEqual(['gone']);
  });

  test('redact nothing if there are none', () => {
    expect(redactionOfRuns(anOpenGraph({ a: { type: 'set' } }), { channels: [] })).toBe(NOTHING_REDACTED);
  });
});

const NOTHING_CARRIED = { triggers: [], deferred: [], bufferedEvents: [] };
const ELEMENT = { item: 1, index: 0 };

describe('a fork', () => {
  const parent = { ...NOTHING_REDACTED, channels: ['secret'], items: ['a', 'b', 'c'], events: true } as const;
  const nodes: Nodes = { a: { type: 'set', write: { far: '{{ item }}' } }, c: { type: 'set' } };

  test('inherits the redaction of the items and events that it continues with', () => {
    const carried = {
      triggers: [{ node: 'a', element: ELEMENT }, { node: 'b' }],
      deferred: [{ node: 'c', element: ELEMENT }],
      bufferedEvents: [{ name: 'paid', payload: 1 }],
    };
    expect(inheritedByFork(parent, carried)).toEqual({ channels: ['secret'], items: ['a', 'c'], events: true });
    expect(inheritedByFork(parent, NOTHING_CARRIED)).toEqual({ channels: ['secret'], items: [] });
    expect(inheritedByFork(NOTHING_REDACTED, carried)).toEqual({ channels: [], items: [] });
  });

  test('redacts items regardless of its own edges', () => {
    expect(redactionOfRuns(anOpenGraph(nodes), { items: ['a'] })).toMatchObject({ channels: ['far'], items: ['a'] });
    expect(redactionOfRuns(anOpenGraph(nodes), { items: ['c'] }).channels).toEqual([]);
  });

  test('passes on the redaction of items that it does not use', () => {
    const redaction = redactionOfRuns(anOpenGraph(nodes), { items: ['c'] });
    expect(isRedacting(redaction)).toBe(true);
    const carried = { ...NOTHING_CARRIED, triggers: [{ node: 'c', element: ELEMENT }] };
    expect(inheritedByFork(redaction, carried).items).toEqual(['c']);
  });

  test('redacts the payloads of events in every inner graph', () => {
    const waiting: NodeDefinition = { type: 'wait', event: 'paid', write: { copy: '{{ result.pin }}' } };
    const inside = anOpenGraph({ a: waiting }, { name: 'inner' });
    const redaction = redactionOfRuns(
      anOpenGraph({ a: waiting, sub: { type: 'subgraph', graph: inside, write: { far: '{{ result.copy }}' } } }),
      { events: true },
    );
    expect(redaction).toMatchObject({ channels: ['copy', 'far'], events: true, nodes: { a: { result: true } } });
    expect(redaction.nodes['sub']?.inside).toMatchObject({ channels: ['copy'], nodes: { a: { result: true } } });
  });

  test('redacts nothing of a wait for a time', () => {
    const { nodes: hidden } = redactionOfRuns(anOpenGraph({ a: { type: 'wait', for: '1s', write: 'copy' } }), {
      events: true,
    });
    expect(hidden).toEqual({});
  });

  test('passes on the redaction of events that it does not wait for', () => {
    const redaction = redactionOfRuns(anOpenGraph(nodes), { events: true });
    expect(isRedacting(redaction)).toBe(true);
    const bufferedEvents = [{ name: 'paid', payload: 1 }];
    expect(inheritedByFork(redaction, { ...NOTHING_CARRIED, bufferedEvents }).events).toBe(true);
  });
});

describe('a replay', () => {
  const ANSWER: InheritedRedaction = { nodes: { a: { result: true } } };

  test('inherits the redaction of the beginning of its run, and of the answers', () => {
    const recorded = {
      ...NOTHING_REDACTED,
      channels: ['secret'],
      nodes: { a: { result: true } },
      items: ['a'],
    } as const;
    const { nodes, graphs } = recorded;
    expect(inheritedByReplay(recorded, null)).toEqual({ channels: ['secret'], nodes, graphs });
    const carried = { ...NOTHING_CARRIED, triggers: [{ node: 'a', element: ELEMENT }] };
    expect(inheritedByReplay(recorded, carried)).toEqual({ channels: ['secret'], items: ['a'], nodes, graphs });
  });

  test.each<[string, NodeDefinition]>([
    ['a whole result', { type: 'tool', tool: 'lookup', args: {}, write: 'copy' }],
    ['a member of a result', { type: 'tool', tool: 'lookup', args: {}, write: { copy: '{{ result.id }}' } }],
    ['the answer of a model', { type: 'llm', prompt: 'Hello', write: { copy: '{{ result.text }}' } }],
    ['what a decision brings', { type: 'approval', title: '?', write: { copy: '{{ result.values.pin }}' } }],
    [
      'the message of an error',
      {
        type: 'tool',
        tool: 'lookup',
        args: {},
        onError: { to: 'z', write: { copy: '{{ error.message }}' } },
      },
    ],
  ])('redacts %s that was redacted', (_name, node) => {
    const redaction = redactionOfRuns(anOpenGraph({ a: node, z: { type: 'set' } }), ANSWER);
    expect(redaction).toMatchObject({ channels: ['copy'], nodes: { a: { result: true, error: true } } });
    expect(redactionOfRuns(anOpenGraph({ b: node, z: { type: 'set' } }), ANSWER)).toEqual(NOTHING_REDACTED);
  });

  test('redacts a conversation that contains such an answer, and the calls that it requests', () => {
    const agent: NodeDefinition = { type: 'agent', messages: 'talk', tools: [{ graph: 'pay@1' }] };
    const pay = aDefinition({ name: 'pay', channels: { order: {} }, nodes: { x: { type: 'set' } } });
    const redaction = redactionOfRuns(anOpenGraph({ a: agent }), ANSWER, { graphs: { 'pay@1': pay } });
    expect(redaction).toMatchObject({
      channels: ['talk'],
      nodes: { a: { calls: true, result: true } },
      graphs: { 'pay@1': { channels: ['order'] } },
    });
  });

  test('redacts errors, values of decisions and results of compensations', () => {
    const compensate = { tool: 'notify', args: {} };
    const nodes: Nodes = {
      a: { type: 'tool', tool: 'charge', args: {}, compensate },
      b: { type: 'tool', tool: 'charge', args: {} },
      c: { type: 'approval', title: '?' },
    };
    const inherited = { nodes: { a: { undone: true }, b: { error: true }, c: { values: true } } } as const;
    expect(redactionOfRuns(anOpenGraph(nodes), inherited).nodes).toMatchObject({
      a: { undone: true },
      b: { error: true },
      c: { values: true, result: true },
    });
  });

  const call: NodeDefinition = { type: 'tool', tool: 'lookup', args: {}, write: 'copy' };
  const inner = anOpenGraph({ get: call }, { name: 'inner' });
  const outer = (graph: string | GraphDefinition): GraphDefinition =>
    anOpenGraph({ sub: { type: 'subgraph', graph, write: { far: '{{ result.copy }}' } } });
  const inside = { channels: [], nodes: { get: { result: true } } } as const;

  test.each<[string, InheritedRedaction]>([
    ['an inline one', { nodes: { sub: { inside } } }],
    ['a published one', { nodes: { sub: { inside: 'old@1' } }, graphs: { 'old@1': inside } }],
  ])('redacts answers of inner nodes if the recorded graph was %s', (_name, inherited) => {
    expect(redactionOfRuns(outer(inner), inherited).channels).toEqual(['far']);
    const published = redactionOfRuns(outer('inner@2'), inherited, { graphs: { 'inner@2': inner } });
    expect(published).toMatchObject({ channels: ['far'], graphs: { 'inner@2': { channels: ['copy'] } } });
  });

  test('analyzes graphs that use each other many times once', () => {
    const uses = (level: number): Nodes =>
      Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { type: 'subgraph', graph: `g${level}@1` }]));
    const graphs: Record<string, GraphDefinition> = { 'g0@1': inner };
    for (let level = 1; level <= 40; level += 1) graphs[`g${level}@1`] = anOpenGraph(uses(level - 1), { edges: [] });
    const secretive = {
      ...graphs,
      'g0@1': aDefinition({ channels: { copy: { redact: true } }, nodes: { get: call } }),
    };
    const definition = anOpenGraph(uses(40));
    const recorded = redactionOfRuns(definition, {}, { graphs: secretive });
    const { graphs: found } = redactionOfRuns(definition, inheritedByReplay(recorded, null), { graphs });
    expect(Object.keys(found)).toHaveLength(41);
  });
});

const HIDDEN = '[redacted]';
const card: FieldMask = { in: 'object', parts: { card: HIDDEN } };
const deep: FieldMask = { in: 'object', parts: { list: { in: 'list', parts: { 1: card } } } };

describe('hideMasked', () => {
  test.each<[string, FieldMask | undefined, Json, Json]>([
    ['no mask', undefined, { card: 1 }, { card: 1 }],
    ['a whole value', HIDDEN, { card: 1 }, HIDDEN],
    ['words of a text are not kept', 'Pay [redacted]', 'Pay 1', HIDDEN],
    ['a member', card, { card: 1, euros: 2 }, { card: HIDDEN, euros: 2 }],
    ['a missing member', card, { euros: 2 }, { euros: 2 }],
    ['an item of a list', deep, { list: [0, { card: 1, x: 1 }] }, { list: [0, { card: HIDDEN, x: 1 }] }],
    ['an object instead of a list', deep, { list: { 1: { card: 1 } } }, { list: HIDDEN }],
    ['a list instead of an object', card, [1], HIDDEN],
    ['a text instead of an object', card, '1', HIDDEN],
  ])('redacts the parts that the mask names: %s', (...[, mask, value, shown]) => {
    expect(hideMasked(value, mask)).toEqual(shown);
  });

  test('keeps the literal words of a text on request', () => {
    expect(hideValuesInText({ card: 'Pay 1', n: 1 }, { in: 'object', parts: { card: 'Pay [redacted]' } })).toEqual({
      card: 'Pay [redacted]',
      n: 1,
    });
  });
});

describe('restoreMasked', () => {
  test.each<[string, FieldMask, Json, Json, Json]>([
    ['a redacted value', card, { card: HIDDEN, euros: 3 }, { card: 1, euros: 2 }, { card: 1, euros: 3 }],
    ['not what a person has replaced', card, { card: 5 }, { card: 1 }, { card: 5 }],
    ['not in other places', card, { euros: HIDDEN }, { card: 1 }, { euros: HIDDEN }],
    ['a whole value', HIDDEN, HIDDEN, [1], [1]],
    ['a value that was redacted because of its form', card, HIDDEN, [1], [1]],
    [
      'an item of a list',
      deep,
      { list: [0, { card: HIDDEN }] },
      { list: [9, { card: 1 }] },
      { list: [0, { card: 1 }] },
    ],
    [
      'nothing of an item that is new',
      deep,
      { list: [0, { card: HIDDEN }] },
      { list: [9] },
      { list: [0, { card: HIDDEN }] },
    ],
  ])('restores %s', (...[, mask, given, real, restored]) => {
    expect(restoreMasked(given, real, mask)).toEqual(restored);
  });
});
