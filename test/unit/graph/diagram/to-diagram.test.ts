import { describe, expect, test } from 'vitest';
import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../../../../src/graph/definition/definition.ts';
import { NO_MARKS } from '../../../../src/graph/diagram/diagram.ts';
import type { Diagram, MarkedNodes } from '../../../../src/graph/diagram/diagram.ts';
import { toDiagram } from '../../../../src/graph/diagram/to-diagram.ts';
import { aDefinition } from '../../../support/builders/builders.ts';

const ABC = { a: { type: 'set' }, b: { type: 'set' }, c: { type: 'set' } } as const;

const draw = (over: Partial<GraphDefinition>, marks: MarkedNodes = NO_MARKS): Diagram =>
  toDiagram(aDefinition(over), marks);
const arrowsOf = ({ arrows }: Diagram) =>
  arrows.map(({ from, to, kind, label }) => `${from} ${kind} ${to}${label === null ? '' : ` ${label}`}`);
const drawEdge = (edge: EdgeDefinition) => arrowsOf(draw({ nodes: ABC, edges: [edge] }));
const linesOf = (node: NodeDefinition, over: Partial<GraphDefinition> = {}) =>
  draw({ nodes: { a: node }, ...over }).shapes.find(({ key }) => key === 'n_a')?.lines;

describe('an edge', () => {
  test.each<[EdgeDefinition, string[]]>([
    [{ from: '__start__', to: 'a' }, ['begin plain n_a']],
    [{ from: 'a', to: ['b', '__end__'] }, ['n_a plain n_b', 'n_a plain finish']],
    [
      { from: 'a', branches: [{ when: 'state.x', to: ['b', 'c'] }, { to: '__end__' }] },
      ['n_a plain n_b state.x', 'n_a plain n_c state.x', 'n_a plain finish default'],
    ],
    [
      { from: 'a', route: 'state.kind', paths: { one: 'b', none: [] }, default: 'c' },
      ['n_a plain n_b one', 'n_a plain finish none', 'n_a plain n_c default'],
    ],
    [{ from: 'a', route: 'state.kind', paths: { one: 'b' } }, ['n_a plain n_b one']],
    [{ from: 'a', forEach: 'state.list', to: 'b' }, ['n_a forEach n_b for each of state.list']],
    [
      { from: 'a', forEach: 'state.list', to: 'b', maxConcurrency: 3 },
      ['n_a forEach n_b for each of state.list (3 at a time)'],
    ],
    [{ from: ['a', 'b'], to: 'c' }, ['n_a plain join_0', 'n_b plain join_0', 'join_0 plain n_c']],
    [{ from: ['a', 'a'], to: 'c' }, ['n_a plain n_c']],
    [{ from: 'a', to: ['missing', 'b'] }, ['n_a plain n_b']],
    [{ from: 'missing', to: 'b' }, []],
  ])('%j is drawn with its arrows', (edge, expected) => {
    expect(drawEdge(edge)).toEqual(expected);
  });

  test('with several sources is drawn with a join of its own', () => {
    const join = { from: ['a', 'b'], to: 'c' };
    const { shapes } = draw({ nodes: ABC, edges: [join, join] });
    expect(shapes.filter(({ kind }) => kind === 'join').map(({ key }) => key)).toEqual(['join_0', 'join_1']);
  });
});

describe('a node', () => {
  test('has arrows to its targets after a failure and to those of its function', () => {
    const nodes = {
      ...ABC,
      a: { type: 'function', function: 'f', mayGoto: ['b', '__end__'], onError: { to: 'c' } },
      b: { type: 'tool', tool: 't', onError: { to: 'missing' } },
      c: { type: 'tool', tool: 't', onError: 'intervene' },
    } as const;
    expect(arrowsOf(draw({ nodes, edges: [] }))).toEqual([
      'n_a detour n_c on error',
      'n_a detour n_b goto',
      'n_a detour finish goto',
    ]);
  });

  test.each<[NodeDefinition, string[]]>([
    [{ type: 'set' }, ['a', 'set']],
    [{ type: 'tool', tool: 'charge' }, ['a', 'tool: charge']],
    [{ type: 'function', function: 'f' }, ['a', 'function: f']],
    [{ type: 'subgraph', graph: 'child@3' }, ['a', 'subgraph: child@3']],
    [{ type: 'subgraph', graph: aDefinition({ name: 'inner' }) }, ['a', 'subgraph: inner']],
    [{ type: 'wait', for: '5m' }, ['a', 'wait: 5m']],
    [{ type: 'wait', until: '2030-01-01T00:00:00Z' }, ['a', 'wait: 2030-01-01T00:00:00Z']],
    [{ type: 'wait', event: 'paid' }, ['a', 'wait: paid']],
    [{ type: 'wait' }, ['a', 'wait']],
    [{ type: 'set', defer: true }, ['a', 'set', 'deferred']],
  ])('%j is drawn with its lines of text', (node, lines) => {
    expect(linesOf(node)).toEqual(lines);
  });

  test('shows its breakpoints', () => {
    expect(linesOf({ type: 'set' }, { interruptBefore: ['a'], interruptAfter: ['*'] })).toEqual([
      'a',
      'set',
      'pauses before',
      'pauses after',
    ]);
    expect(linesOf({ type: 'set' }, { interruptBefore: ['b'] })).toEqual(['a', 'set']);
  });

  test('is drawn if code registers its type', () => {
    const definition: GraphDefinition = JSON.parse(JSON.stringify(aDefinition({ nodes: ABC })).replace('set', 'robot'));
    expect(toDiagram(definition, NO_MARKS).shapes.find(({ key }) => key === 'n_a')).toMatchObject({
      outline: 'cylinder',
      lines: ['a', 'robot'],
    });
  });

  test('has a unique key, whatever its id is', () => {
    const nodes = Object.fromEntries(['a-b', 'a_b', 'a.b'].map((id) => [id, { type: 'set' } as const]));
    expect(draw({ nodes, edges: [] }).shapes.map(({ key }) => key)).toEqual(['begin', 'n_a_b', 'n_a_b__2', 'n_a_b__3']);
  });
});

describe('graphs as tools', () => {
  const tools = ['pay', { graph: 'refund@2' }, { graph: 'leaf', as: 'look_up' }] as const;
  const insideOf = (diagram: Diagram, key: string) =>
    diagram.shapes.find((shape) => shape.key === key)?.inner?.shapes.map(({ lines, mark }) => [...lines, mark]);

  test('are drawn inside the node that calls them, under their names', () => {
    const diagram = draw({ nodes: { a: { type: 'agent', prompt: 'x', tools } } });
    expect(insideOf(diagram, 'n_a')).toEqual([
      ['refund', 'subgraph: refund@2', 'none'],
      ['look_up', 'subgraph: leaf', 'none'],
    ]);
    expect(arrowsOf(diagram)).toEqual(['begin plain n_a']);
  });

  test('are drawn inside the node that makes the calls, not inside the llm that requests them', () => {
    const nodes = { ask: { type: 'llm', messages: 'chat', tools }, act: { type: 'tool', calls: 'chat' } } as const;
    const diagram = draw({ nodes, edges: [] });
    expect([insideOf(diagram, 'n_ask'), insideOf(diagram, 'n_act')?.length]).toEqual([undefined, 2]);
  });

  test('are marked as visited if a node inside them is', () => {
    const nodes = { a: { type: 'agent', prompt: 'x', tools } } as const;
    const diagram = draw({ nodes }, { visited: ['a', 'a/refund/pay'], current: ['a'] });
    expect(insideOf(diagram, 'n_a')?.map((shown) => shown.at(-1))).toEqual(['visited', 'none']);
  });
});

describe('marks', () => {
  test('a current node is not marked as visited, an inner one is found by its address, and its outer node is visited', () => {
    const nodes = { ...ABC, sub: { type: 'subgraph', graph: aDefinition() } } as const;
    const { shapes } = draw({ nodes }, { visited: ['a', 'b', 'sub/a'], current: ['b'] });
    expect(shapes.map(({ key, mark }) => [key, mark])).toEqual([
      ['begin', 'none'],
      ['n_a', 'visited'],
      ['n_b', 'current'],
      ['n_c', 'none'],
      ['n_sub', 'visited'],
    ]);
    const inner = shapes.find(({ key }) => key === 'n_sub')?.inner?.shapes;
    expect(inner?.find(({ key }) => key === 'n_sub_a')?.mark).toBe('visited');
  });
});
