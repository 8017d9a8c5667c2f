import { describe, expect, test } from 'vitest';
import { arrowsOf, describeNode, innerOf } from '../../../../console/src/graph/definition.ts';
import { layOut, sizeOf, toPath } from '../../../../console/src/graph/lay-out.ts';

const DEFINITION = {
  name: 'shop',
  nodes: {
    look: { type: 'tool', tool: 'lookup_order', onError: { to: 'sorry' } },
    choose: { type: 'function', function: 'choose', mayGoto: ['look'] },
    each: { type: 'set' },
    sorry: { type: 'subgraph', graph: 'apology@2' },
  },
  edges: [
    { from: '__start__', to: 'look' },
    { from: 'look', branches: [{ when: 'state.ok', to: 'choose' }, { to: '__end__' }] },
    { from: 'choose', route: 'state.way', paths: { all: ['each', 'sorry'] }, default: 'choose' },
    { from: ['each', 'sorry'], forEach: 'state.items', to: 'each' },
    { from: 'each', to: 'nowhere' },
  ],
};

test('the console draws the hand-offs of an agent as detours', () => {
  const front = { type: 'agent', prompt: 'x', handoff: ['billing', 'nowhere'] };
  expect(arrowsOf({ nodes: { front, billing: { type: 'set' } }, edges: [] })).toEqual([
    { from: 'front', to: 'billing', label: 'hand-off', isDetour: true },
  ]);
});

test.each([
  [{ onFail: 'a' }, 'set, last when failed'],
  [{ onFail: { to: 'a' }, onCancel: 'a' }, 'set, last when canceled, last when failed'],
  [{ onFail: 'b' }, 'set'],
])('the console says of a node when it runs last: %j', (last, about) => {
  const { nodes } = layOut({ nodes: { a: { type: 'set' }, b: { type: 'set' } }, edges: [], ...last });
  expect(nodes.find(({ id }) => id === 'a')?.about).toBe(about);
});

describe('the graph inside a node', () => {
  test('the console draws inside an agent node the graphs that it calls as tools', () => {
    const agent = { type: 'agent', tools: ['pay', { memory: 'm' }, { graph: 'refund@2' }] };
    expect(innerOf(agent, { nodes: { agent } })).toMatchObject({
      nodes: { refund: { type: 'subgraph', graph: 'refund@2' } },
      edges: [],
    });
    expect(describeNode(agent)).toBe('agent');
  });

  test('the console labels a subgraph with the names that the node gives its tools', () => {
    const agent = { type: 'agent', tools: [{ graph: 'refund@2', as: 'give_back' }] };
    expect(innerOf(agent, {})).toMatchObject({ nodes: { give_back: { type: 'subgraph', graph: 'refund@2' } } });
  });

  test.each([
    { what: 'reads the same conversation', llm: { messages: 'chat' } },
    { what: 'writes the conversation', llm: { prompt: 'x', write: 'chat' } },
    {
      what: 'writes the conversation among other channels',
      llm: { prompt: 'x', write: { log: 1, chat: '{{ result.message }}' } },
    },
  ])('the console draws inside a tool node the graph tools of the llm node that $what', ({ llm }) => {
    const act = { type: 'tool', calls: 'chat' };
    const ask = { type: 'llm', tools: [{ graph: 'refund' }], ...llm };
    const other = { type: 'llm', tools: [{ graph: 'other' }], messages: 'elsewhere' };
    expect(innerOf(act, { nodes: { other, ask, act } })).toMatchObject({ nodes: { refund: { type: 'subgraph' } } });
    expect(innerOf({ ...act, tools: ['pay'] }, { nodes: { ask, act } })).toBeNull();
    expect(innerOf(act, { nodes: { other, act } })).toBeNull();
  });

  test.each([{ type: 'agent', tools: ['pay'] }, { type: 'llm', tools: [{ graph: 'refund' }] }, { type: 'set' }])(
    'the console draws no graph inside of the node %j',
    (node) => {
      expect(innerOf(node, { nodes: { node } })).toBeNull();
    },
  );
});

describe('the arrows of a definition', () => {
  test('the console draws arrows from edges of each kind and from nodes’ targets, except to missing nodes', () => {
    const shown = arrowsOf(DEFINITION).map(({ from, to, label, isDetour }) => [from, to, label, isDetour]);
    expect(shown).toEqual([
      ['__start__', 'look', null, false],
      ['look', 'choose', 'state.ok', false],
      ['look', '__end__', 'default', false],
      ['choose', 'each', 'all', false],
      ['choose', 'sorry', 'all', false],
      ['choose', 'choose', 'default', false],
      ['each', 'each', 'for each of state.items', false],
      ['sorry', 'each', 'for each of state.items', false],
      ['look', 'sorry', 'on error', true],
      ['choose', 'look', 'goto', true],
    ]);
  });

  test('the console draws no arrows for a value that is no definition', () => {
    expect(arrowsOf({ nodes: 7, edges: [null, 'x', {}] })).toEqual([]);
  });
});

describe('a drawing', () => {
  const { nodes, arrows } = layOut(DEFINITION);

  test('a drawing of a graph has each node once with its definition, and the points of arrows', () => {
    expect(nodes.map(({ id, about }) => [id, about])).toEqual([
      ['__start__', 'start'],
      ['look', 'tool: lookup_order'],
      ['choose', 'function: choose'],
      ['each', 'set'],
      ['sorry', 'subgraph: apology@2'],
      ['__end__', 'end'],
    ]);
    expect(nodes.find(({ id }) => id === 'sorry')?.inner).toBe('apology@2');
  });

  test('a drawing of a graph has no overlapping nodes', () => {
    const boxes = nodes.map((node) => ({ ...node, ...sizeOf(node) }));
    const overlaps = boxes.flatMap((one, place) =>
      boxes
        .slice(place + 1)
        .filter(
          (other) =>
            one.x < other.x + other.width &&
            other.x < one.x + one.width &&
            one.y < other.y + other.height &&
            other.y < one.y + one.height,
        ),
    );
    expect(overlaps).toEqual([]);
  });

  test('a drawing of the same graph is the same each time', () => {
    expect(layOut(DEFINITION)).toEqual({ nodes, arrows, height: expect.any(Number) });
  });

  test('a drawing of a graph has a path for every arrow, also from a node to itself', () => {
    expect(arrows.filter(({ points }) => points.length < 2)).toEqual([]);
    const loop = arrows.find(({ from, to }) => from === to);
    expect(loop?.points[0]?.x).toBe(loop?.points.at(-1)?.x);
  });
});

test('the SVG path of an arrow begins and ends at its first and last point', () => {
  const path = toPath([
    { x: 0, y: 0 },
    { x: 5, y: 10 },
    { x: 10, y: 20 },
  ]);
  expect(path).toBe('M 0 0 Q 5 10 7.5 15 L 10 20');
  expect(toPath([{ x: 1, y: 1 }])).toBe('');
});
