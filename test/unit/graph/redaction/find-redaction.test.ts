import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../../src/graph/definition/definition.ts';
import { isDefinition } from '../../../../src/graph/definition/definition.ts';
import { findRedaction } from '../../../../src/graph/redaction/find-redaction.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { aDefinition } from '../../../support/builders/builders.ts';

const CHANNELS = { secret: { redact: true }, public: {}, copy: {}, far: {}, talk: { reducer: 'messages' } } as const;

function aGraph(nodes: Readonly<Record<string, NodeDefinition>>, over: Partial<GraphDefinition> = {}): GraphDefinition {
  return aDefinition({ channels: CHANNELS, nodes, ...over });
}

const redactionOf = (definition: GraphDefinition, { graphs = {} }: { graphs?: Record<string, GraphDefinition> } = {}) =>
  findRedaction({ definition, catalog: { graphs } });

const hiddenBy = (nodes: Readonly<Record<string, NodeDefinition>>, over: Partial<GraphDefinition> = {}) =>
  redactionOf(aGraph(nodes, over)).channels;

describe('data derived from a redacted channel', () => {
  test('a definition without redacted channels redacts nothing', () => {
    expect(redactionOf(aDefinition())).toBe(NOTHING_REDACTED);
  });

  test.each<[string, Record<string, NodeDefinition>]>([
    ['a copied value', { a: { type: 'set', write: { copy: '{{ state.secret }}' } } }],
    ['a copy within a text', { a: { type: 'set', write: { copy: 'It is {{ state.secret }}.' } } }],
    ['a copy deep in an object', { a: { type: 'set', write: { copy: { deep: ['{{ state.secret }}'] } } } }],
    ['the whole state', { a: { type: 'set', write: { copy: '{{ json(state) }}' } } }],
    ['a result', { a: { type: 'tool', tool: 'lookup', args: { value: '{{ state.secret }}' }, write: 'copy' } }],
    [
      'a member of a result',
      {
        a: { type: 'tool', tool: 'lookup', args: { value: '{{ state.secret }}' }, write: { copy: '{{ result.id }}' } },
      },
    ],
    [
      'the result of a function',
      { a: { type: 'function', function: 'double', args: '{{ state.secret }}', write: 'copy' } },
    ],
    [
      'the answer of a model',
      { a: { type: 'llm', prompt: '{{ state.secret }}', write: { copy: '{{ result.text }}' } } },
    ],
    [
      'the arguments of an approval',
      { a: { type: 'approval', title: 'Pay?', args: ['{{ state.secret }}'], write: { copy: '{{ result.args }}' } } },
    ],
    [
      'the note of a hand-off',
      {
        a: {
          type: 'agent',
          prompt: '{{ state.secret }}',
          handoff: ['b'],
          write: { copy: '{{ result.handoff.note }}' },
        },
        b: { type: 'set' },
      },
    ],
    ['a whole decision', { a: { type: 'approval', title: 'Pay?', args: '{{ state.secret }}', write: 'copy' } }],
    [
      'the message of an error',
      {
        a: {
          type: 'tool',
          tool: 'lookup',
          args: { value: '{{ state.secret }}' },
          onError: { to: 'b', write: { copy: '{{ error.message }}' } },
        },
        b: { type: 'set' },
      },
    ],
  ])('data derived from a redacted channel is redacted: %s', (_name, nodes) => {
    expect(hiddenBy(nodes)).toEqual(['secret', 'copy']);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['the message of any error', { copy: '{{ error.message }}' }, ['secret', 'copy']],
    ['a redacted channel', { copy: '{{ state.secret }}' }, ['secret', 'copy']],
    ['the code of an error', { copy: '{{ error.code }}' }, ['secret']],
  ])(
    'a channel to which onFail writes %s is redacted if that may reveal a redacted channel',
    (_name, write, hidden) => {
      const definition: GraphDefinition = {
        name: 'test',
        channels: CHANNELS,
        nodes: { a: { type: 'tool', tool: 'lookup', args: { value: '{{ state.secret }}' } }, b: { type: 'set' } },
        edges: [{ from: '__start__', to: 'a' }],
        onFail: { to: 'b', write },
      };
      expect(redactionOf(definition).channels).toEqual(hidden);
    },
  );

  test('the input and the result of a custom node that reads a redacted channel are redacted', () => {
    const definition = {
      name: 'test',
      channels: CHANNELS,
      nodes: { a: { type: 'own', text: ['{{ state.secret }}'], write: 'copy' } },
      edges: [{ from: '__start__', to: 'a' }],
    };
    if (!isDefinition(definition)) throw new TypeError('No definition');
    expect(redactionOf(definition).channels).toEqual(['secret', 'copy']);
    const masked = { text: { in: 'list', parts: { 0: '[redacted]' } } };
    expect(redactionOf(definition).nodes['a']?.fields).toEqual({ args: { in: 'object', parts: masked } });
  });

  test.each<[string, NodeDefinition]>([
    ['a model’s answer about a visible channel', { type: 'set', write: { copy: '{{ size(state.secret) }}' } }],
    ['another channel', { type: 'set', write: { copy: '{{ state.public }}' } }],
    [
      'the decision itself',
      { type: 'approval', title: '{{ state.secret }}', args: '{{ state.secret }}', write: { copy: '{{ result.by }}' } },
    ],
    ['the usage of a model', { type: 'llm', prompt: '{{ state.secret }}', write: { copy: '{{ result.usage }}' } }],
    ['an event', { type: 'wait', event: '{{ state.secret }}', write: 'copy' }],
    [
      'the code of an error',
      {
        type: 'tool',
        tool: 'lookup',
        args: { value: '{{ state.secret }}' },
        onError: { to: 'z', write: { copy: '{{ error.code }}' } },
      },
    ],
  ])('data that reveals nothing of a redacted channel stays visible: %s', (_name, node) => {
    expect(hiddenBy({ a: node, z: { type: 'set' } })).toEqual(['secret']);
  });

  test('copies of copies of a redacted channel are redacted, in any order of nodes', () => {
    const nodes: Record<string, NodeDefinition> = {
      a: { type: 'set', write: { far: '{{ state.copy }}' } },
      b: { type: 'set', write: { copy: '{{ state.secret }}' } },
    };
    expect(hiddenBy(nodes)).toEqual(['secret', 'copy', 'far']);
  });

  test('the items of a redacted list are redacted', () => {
    const edges = [
      { from: '__start__', forEach: 'state.secret.map(x, [x])', to: 'a' },
      { from: 'a', to: '__end__' },
    ];
    expect(hiddenBy({ a: { type: 'set', write: { copy: '{{ item[0] }}' } } }, { edges })).toEqual(['secret', 'copy']);
    const others = [{ from: '__start__', forEach: '[1, 2]', to: 'a' }];
    expect(hiddenBy({ a: { type: 'set', write: { copy: '{{ item }}' } } }, { edges: others })).toEqual(['secret']);
  });

  test('a conversation that contains a secret is redacted', () => {
    const node: NodeDefinition = { type: 'agent', system: '{{ state.secret }}', messages: 'talk', tools: ['lookup'] };
    expect(hiddenBy({ a: node })).toEqual(['secret', 'talk']);
    expect(redactionOf(aGraph({ a: node })).nodes['a']).toEqual({ calls: true, error: true, result: true });
  });

  test('tool calls of a redacted conversation are redacted', () => {
    const channels = { talk: { reducer: 'messages', redact: true } } as const;
    const { nodes } = redactionOf(aGraph({ a: { type: 'tool', calls: 'talk', tools: ['lookup'] } }, { channels }));
    expect(nodes['a']).toEqual({ calls: true, error: true, result: true });
  });

  test('nodes whose map items are redacted are listed, because a checkpoint may contain the items', () => {
    const nodes: Record<string, NodeDefinition> = { a: { type: 'set' }, b: { type: 'set' } };
    const edges = [
      { from: '__start__', forEach: 'state.secret', to: 'a' },
      { from: '__start__', forEach: 'state.public', to: 'b' },
    ];
    expect(redactionOf(aGraph(nodes, { edges }))).toMatchObject({ items: ['a'], nodes: {} });
  });

  test('the payload of events is redacted if a node writes it to a redacted channel', () => {
    const waiting = (write: string): NodeDefinition => ({ type: 'wait', event: 'paid', write });
    expect(redactionOf(aGraph({ a: waiting('secret') })).events).toBe(true);
    expect(redactionOf(aGraph({ a: waiting('copy') })).events).toBeUndefined();
    const inner = aDefinition({ channels: { pin: { redact: true } }, nodes: { a: waiting('pin') } });
    expect(redactionOf(aGraph({ sub: { type: 'subgraph', graph: inner } })).events).toBe(true);
  });
});

describe('the redaction of subgraphs', () => {
  const inner = aDefinition({
    name: 'inner',
    channels: { given: {}, made: {}, other: {} },
    output: ['made'],
    nodes: { copy: { type: 'set', write: { made: '{{ state.given }}' } } },
  });
  const outer = (graph: string | GraphDefinition): GraphDefinition =>
    aGraph({
      sub: { type: 'subgraph', graph, input: { given: '{{ state.secret }}' }, write: { copy: '{{ result.made }}' } },
      next: { type: 'set', write: { far: '{{ state.copy }}' } },
    });

  test('inline subgraphs are analyzed for derived redaction', () => {
    const { channels, nodes } = redactionOf(outer(inner));
    expect(channels).toEqual(['secret', 'copy', 'far']);
    expect(nodes['sub']?.inside).toMatchObject({ channels: ['given', 'made'], nodes: { copy: { error: true } } });
  });

  test('published subgraphs are analyzed for derived redaction, and listed once for all nodes that use them', () => {
    const { channels, nodes, graphs } = redactionOf(outer('inner@1'), { graphs: { 'inner@1': inner } });
    expect(channels).toEqual(['secret', 'copy', 'far']);
    expect(nodes['sub']?.inside).toBe('inner@1');
    expect(graphs).toMatchObject({ 'inner@1': { channels: ['given', 'made'] } });
  });

  test('redacted data of an inner graph leaves it redacted by its output', () => {
    const secretive = { ...inner, channels: { given: {}, made: { redact: true }, other: {} } };
    const calling: NodeDefinition = { type: 'subgraph', graph: secretive, write: { copy: '{{ result }}' } };
    expect(hiddenBy({ sub: calling }, { channels: { copy: {}, far: {} } })).toEqual(['copy']);
  });

  test('graphs that use each other many times are analyzed for redaction once', () => {
    const graphs: Record<string, GraphDefinition> = { 'g0@1': inner };
    for (let level = 1; level <= 40; level += 1) {
      const uses = Object.fromEntries(
        ['a', 'b', 'c'].map((id): [string, NodeDefinition] => [
          id,
          { type: 'subgraph', graph: `g${level - 1}@1`, input: { given: '{{ state.given }}' } },
        ]),
      );
      graphs[`g${level}@1`] = { ...inner, nodes: uses, edges: [] };
    }
    const { graphs: found } = redactionOf(outer('g40@1'), { graphs });
    expect(Object.keys(found)).toHaveLength(41);
  });
});

describe('the redaction of a node', () => {
  const nodeOf = (node: NodeDefinition) => redactionOf(aGraph({ a: node, z: { type: 'set' } })).nodes['a'];

  test('the redaction of a node contains the fields that are filled with redacted data, member by member', () => {
    const args = { card: '{{ state.secret }}', amount: '{{ state.public }}', list: [1, 'x {{ state.secret }}'] };
    expect(nodeOf({ type: 'tool', tool: 'lookup', args })?.fields).toEqual({
      args: {
        in: 'object',
        parts: { card: '[redacted]', list: { in: 'list', parts: { 1: 'x [redacted]' } } },
      },
    });
  });

  test('the redaction of a node contains the literal words of a text only if the text contains no other values', () => {
    const titled = (title: string) => nodeOf({ type: 'approval', title })?.fields?.['title'];
    expect(titled('Pay to {{ state.secret }}?')).toBe('Pay to [redacted]?');
    expect(titled('Pay {{ state.public }} to {{ state.secret }}')).toBe('[redacted]');
    expect(titled('Pay {{ size(state.secret) }}')).toBeUndefined();
  });

  test('the errors of all nodes that read redacted data are redacted', () => {
    expect(nodeOf({ type: 'set', write: { copy: '{{ size(state.secret) }}' } })).toEqual({ error: true });
    expect(nodeOf({ type: 'set', write: { copy: '{{ state.public }}' } })).toBeUndefined();
  });

  test('the errors of a node’s edges that read redacted data are redacted', () => {
    const edges = [{ from: '__start__', route: 'state.secret', paths: { x: 'a' } }];
    const { nodes } = redactionOf(aGraph({ a: { type: 'set' } }, { edges, input: ['public'] }));
    expect(nodes).toEqual({ __start__: { error: true } });
  });

  test('a model’s answer that is written to a redacted channel is redacted', () => {
    expect(nodeOf({ type: 'tool', tool: 'lookup', args: {}, write: 'secret' })).toEqual({
      result: true,
      values: true,
      error: true,
    });
    expect(nodeOf({ type: 'approval', title: '?', write: { secret: '{{ result.values.pin }}' } })).toMatchObject({
      values: true,
    });
  });

  test('the redaction of a node contains the arguments and the result of its compensation', () => {
    const compensate = { tool: 'notify', args: { key: '{{ result.id }}', of: '{{ state.secret }}' } };
    expect(nodeOf({ type: 'tool', tool: 'charge', args: {}, compensate })).toMatchObject({
      fields: { 'compensate/args': { in: 'object', parts: { of: '[redacted]' } } },
      undone: true,
      error: true,
    });
  });
});

describe('a graph that a model calls as a tool', () => {
  const agent: NodeDefinition = { type: 'agent', prompt: 'Hello', tools: [{ graph: 'pay@1' }], write: 'copy' };
  const pay = (channels: GraphDefinition['channels'], over: Partial<GraphDefinition> = {}): GraphDefinition =>
    aDefinition({ name: 'pay', channels: { order: {}, log: {}, ...channels }, nodes: { x: { type: 'set' } }, ...over });

  test('an agent’s data from the redacted output of a graph used as a tool is redacted', () => {
    const graphs = { 'pay@1': pay({ log: { redact: true } }) };
    const redaction = redactionOf(aGraph({ a: agent }), { graphs });
    expect(redaction.channels).toEqual(['secret', 'copy']);
    expect(redaction.nodes['a']).toMatchObject({ calls: true, result: true });
    expect(redaction.graphs).toEqual({ 'pay@1': expect.objectContaining({ channels: ['order', 'log'] }) });
  });

  test('a graph used as a tool redacts nothing of the agent if the redacted channel is not part of its output', () => {
    const graphs = { 'pay@1': pay({ pin: { redact: true } }, { input: ['order'], output: ['log'] }) };
    expect(redactionOf(aGraph({ a: agent }), { graphs }).nodes['a']?.calls).toBeUndefined();
  });

  test('the input of a graph used as a tool is redacted, with everything derived from it, if the model has read redacted values', () => {
    const told: NodeDefinition = {
      type: 'agent',
      prompt: '{{ state.secret }}',
      tools: [{ graph: 'pay@1' }],
    };
    const graphs = { 'pay@1': pay({}, { nodes: { x: { type: 'set', write: { log: '{{ state.order }}' } } } }) };
    const redaction = redactionOf(aGraph({ a: told }), { graphs });
    expect(redaction.graphs).toEqual({ 'pay@1': expect.objectContaining({ channels: ['order', 'log'] }) });
    const inside = redaction.nodes['a']?.inside;
    expect(typeof inside === 'object' && inside.nodes['pay']?.inside).toBe('pay@1');
  });
});
