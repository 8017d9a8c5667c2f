import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ChannelDefinition } from '../../../src/graph/definition/definition.ts';
import { END, START, StateGraph } from '../../../src/index.ts';

const item = { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } } as const;

/** A channel of each kind and two nodes. */
const aGraph = () =>
  new StateGraph({
    name: 'typed',
    channels: {
      text: { schema: { type: 'string' } },
      count: { schema: { type: 'integer' } },
      flag: { schema: { type: 'boolean' } },
      mood: { schema: { enum: ['good', 'bad'] } },
      item: { schema: { ...item, required: ['name'], additionalProperties: false } },
      names: { reducer: 'append', schema: { type: 'array', items: { type: 'string' } } },
      tags: { reducer: 'union' },
      total: { reducer: 'sum' },
      all: { reducer: 'and' },
      facts: { reducer: 'merge', schema: { type: 'object', properties: { age: { type: 'number' } } } },
      chat: { reducer: 'messages' },
      custom: { reducer: { expr: 'update' }, schema: { type: 'number' } },
      free: {},
    },
  })
    .addNode('a', { type: 'set' })
    .addNode('b', { type: 'set' });

describe('names of nodes', () => {
  test('the builder’s type of node names has the ids that were added before', () => {
    const graph = aGraph();
    // @ts-expect-error unknown target
    graph.addEdge('a', 'x');
    // @ts-expect-error unknown source
    graph.addEdge('x', 'a');
    // @ts-expect-error unknown among several
    graph.addEdge(['a', 'x'], 'b');
    // @ts-expect-error unknown among several
    graph.addEdge('a', ['b', 'x']);
    // @ts-expect-error unknown path
    graph.addConditionalEdges('a', "'k'", { k: 'x' });
    // @ts-expect-error unknown default
    graph.addConditionalEdges('a', "'k'", { k: 'b' }, 'x');
    // @ts-expect-error unknown branch
    graph.addBranches('a', [{ when: 'true', to: 'x' }]);
    // @ts-expect-error unknown target of a fan-out
    graph.addForEach('a', '[]', 'x');
    // @ts-expect-error unknown step
    graph.addSequence(['a', 'x']);
    // @ts-expect-error unknown entry
    graph.setEntryPoint('x');
    // @ts-expect-error unknown finish
    graph.setFinishPoint('x');
    // @ts-expect-error unknown breakpoint
    graph.interruptBefore('a', 'x');
    // @ts-expect-error unknown breakpoint
    graph.interruptAfter('x');
    // @ts-expect-error unknown node
    expect(aGraph().successors('x')).toEqual([]);
  });

  test('the builder’s types of edges include the start without incoming edges and the end without outgoing edges', () => {
    const graph = aGraph();
    graph.addEdge(START, 'a').addEdge('a', END);
    // @ts-expect-error nothing leads to the start
    graph.addEdge('a', START);
    // @ts-expect-error the end leads nowhere
    graph.addEdge(END, 'a');
    // @ts-expect-error no node runs for each at the end
    graph.addForEach('a', '[]', END);
    expect(graph.issues().map(({ code }) => code)).toContain('UNKNOWN_NODE');
  });

  test('the builder’s types refuse a node name that is used twice', () => {
    // @ts-expect-error there is a node "a"
    expect(() => aGraph().addNode('a', { type: 'set' })).toThrow(/already/);
    // @ts-expect-error there is a node "a"
    expect(() => aGraph().addSequence([['a', { type: 'set' }]])).toThrow(/already/);
    // @ts-expect-error reserved
    aGraph().addNode('__end__', { type: 'set' });
    // @ts-expect-error there is a channel "text"
    expect(() => aGraph().addChannel('text', {})).toThrow(/already/);
  });

  type Known = 'a' | 'b' | 'f' | typeof END;

  test('a node’s fields can refer to later nodes in the builder’s types', () => {
    const graph = aGraph().addNode('f', {
      type: 'function',
      function: 'f',
      mayGoto: ['later'],
      onError: { to: 'later' },
    });
    expectTypeOf<Parameters<typeof graph.addEdge>[1]>().toEqualTypeOf<Known | readonly Known[]>();
    graph.addEdge('a', 'f');
  });

  test('node names are any text in the builder’s types when the compiler knows none', () => {
    const id: string = 'c';
    expect(aGraph().addNode(id, { type: 'set' }).addEdge('a', 'whatever').toJSON().edges).toHaveLength(1);
  });
});

describe('names of channels', () => {
  test('the builder’s type of channel names has the declared names', () => {
    const graph = aGraph();
    // @ts-expect-error unknown channel
    graph.addNode('c', { type: 'set', write: { txt: 'x' } });
    // @ts-expect-error unknown channel
    graph.addNode('d', { type: 'tool', tool: 'lookup', write: 'txt' });
    // @ts-expect-error unknown channel
    graph.addNode('e', { type: 'set', onError: { to: 'a', write: { txt: 'x' } } });
    // @ts-expect-error unknown channel
    graph.addNode('f', { type: 'llm', messages: 'cht' });
    // @ts-expect-error unknown channel
    graph.addNode('g', { type: 'scrape', write: 'txt' });
    // @ts-expect-error unknown channel
    graph.addSequence([['h', { type: 'set', write: { txt: 'x' } }]]);
    // @ts-expect-error unknown channel
    graph.input('text', 'txt');
    // @ts-expect-error unknown channel
    graph.output('txt');
    // @ts-expect-error unknown channel
    expect(new StateGraph({ name: 'x', channels: { text: {} }, input: ['txt'] })).toBeDefined();
    // @ts-expect-error no channel at all
    new StateGraph({ name: 'x' }).addNode('a', { type: 'set', write: { text: 'x' } });
  });

  test('the builder’s type of channel names grows with addChannel', () => {
    const graph = aGraph().addChannel('more', { schema: { type: 'number' } });
    graph.addNode('c', { type: 'set', write: { more: 1, text: 'x' } }).input('more', 'text');
    // @ts-expect-error a number does not take this text
    graph.addNode('d', { type: 'set', write: { more: 'x' } });
    // @ts-expect-error a channel has no such field
    expect(graph.addChannel('wrong', { reduce: 'append' }).issues()).not.toEqual([]);
  });

  test('channel names are any text in the builder’s types when the compiler knows none', () => {
    const channels: Record<string, ChannelDefinition> = { text: {} };
    const graph = new StateGraph({ name: 'x', channels }).addNode('a', { type: 'set', write: { text: [1] } });
    expect(graph.output('text').toJSON().output).toEqual(['text']);
  });
});

describe('writes', () => {
  test('the builder’s type of a write accepts the values of the channel', () => {
    const graph = aGraph().addNode('ok', {
      type: 'set',
      write: {
        text: 'x',
        count: 1,
        flag: true,
        mood: 'good',
        item: { name: 'x', price: 1 },
        names: ['a', 'b'],
        tags: { any: 'thing' },
        total: 2,
        all: false,
        facts: { age: null, more: 'x' },
        chat: [{ role: 'user', content: '{{ state.text }}' }, { remove: '*' }],
        custom: { any: 'thing' },
        free: [1, null],
      },
    });
    graph.addNode('one', { type: 'set', write: { names: 'a', chat: { role: 'user', content: 'x' } } });
    graph.addNode('replaced', { type: 'set', write: { names: { $replace: [] }, total: { $replace: 0 } } });
    expect(graph.toJSON().nodes).toHaveProperty('replaced');
  });

  test('the builder’s type of a write accepts a template anywhere', () => {
    const graph = aGraph().addNode('ok', {
      type: 'set',
      write: {
        text: 'Hello {{ state.free }}!',
        count: '{{ 1 + 1 }}',
        flag: '{{ true }}',
        mood: '{{ state.free }}',
        item: { name: '{{ state.text }}', price: '{{ 1.5 }}' },
        names: ['a', '{{ state.text }}'],
        total: '{{ size(state.names) }}',
        facts: '{{ state.item }}',
        chat: '{{ state.free }}',
      },
    });
    expect(graph.toJSON().nodes).toHaveProperty('ok');
  });

  test('the builder’s type of a write refuses values that do not fit the channel', () => {
    const graph = aGraph();
    // @ts-expect-error a text takes no number
    graph.addNode('c', { type: 'set', write: { text: 1 } });
    // @ts-expect-error a number takes no text, even with a template in it
    graph.addNode('d', { type: 'set', write: { count: 'about {{ 1 }}' } });
    // @ts-expect-error true or false
    graph.addNode('e', { type: 'set', write: { flag: 'true' } });
    // @ts-expect-error none of the choices
    graph.addNode('f', { type: 'set', write: { mood: 'fine' } });
    // @ts-expect-error a price is a number
    graph.addNode('g', { type: 'set', write: { item: { name: 'x', price: 'x' } } });
    // @ts-expect-error the name is missing
    graph.addNode('h', { type: 'set', write: { item: { price: 1 } } });
    // @ts-expect-error no such property
    graph.addNode('i', { type: 'set', write: { item: { name: 'x', size: 1 } } });
    // @ts-expect-error an item is a text
    graph.addNode('j', { type: 'set', write: { names: ['a', 1] } });
    // @ts-expect-error the whole value is a list
    graph.addNode('k', { type: 'set', write: { names: { $replace: 'a' } } });
    // @ts-expect-error a sum is of numbers
    graph.addNode('l', { type: 'set', write: { total: 'x' } });
    // @ts-expect-error an age is a number
    graph.addNode('m', { type: 'set', write: { facts: { age: 'x' } } });
    // @ts-expect-error nobody has this role
    graph.addNode('n', { type: 'set', write: { chat: { role: 'boss', content: 'x' } } });
    // @ts-expect-error in onError too
    graph.addNode('o', { type: 'set', onError: { to: 'a', write: { count: 'x' } } });
    // @ts-expect-error in a sequence too
    graph.addSequence([['p', { type: 'set', write: { count: 'x' } }]]);
    // @ts-expect-error in a registered type too
    expect(graph.addNode('q', { type: 'scrape', write: { count: 'x' } })).toBe(graph);
  });
});

describe('fields of a node', () => {
  test('the builder’s type of a node has the fields of its node type', () => {
    const graph = aGraph();
    // @ts-expect-error no such field
    graph.addNode('c', { type: 'set', tool: 'lookup' });
    // @ts-expect-error the tool is missing
    graph.addNode('d', { type: 'tool', args: {} });
    // @ts-expect-error nothing is called
    graph.addNode('e', { type: 'set', retry: { maxAttempts: 2 } });
    graph.addSequence([
      ['f', { type: 'tool', tool: 'x' }],
      // @ts-expect-error next to others in a sequence too
      ['g', { type: 'set', tool: 'x' }],
      // @ts-expect-error next to others in a sequence too
      ['h', { type: 'tool', tool: 1 }],
      ['i', { type: 'scrape', url: 'x' }],
    ]);
    expect(graph.issues().map(({ code }) => code)).toContain('INVALID_FIELD');
  });

  test('the builder’s type of a node has free fields in a type that is registered by code, but for the common ones', () => {
    const graph = aGraph().addNode('c', { type: 'scrape', url: 'x', retry: { maxAttempts: 2 }, write: 'free' });
    // @ts-expect-error a duration is a text
    expect(graph.addNode('d', { type: 'scrape', timeout: 5 }).issues()).not.toEqual([]);
  });
});
