import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { sized } from '../support/size.ts';

/** A run with large state or output: a graph and its input. */
export interface LargeRun {
  readonly graph: GraphDefinition;
  readonly input: { readonly s: string; readonly list: readonly number[] };
}

/** Close to the size limit of a request. */
const LARGE_INPUT = 'x'.repeat(sized(900_000, 1_000));
/** A template of 7 MB. */
const LARGE_TEXT = ` ${'{{ state.s }}'.repeat(8)}`;
const LARGER_STATE = `{{ state.grown + [${Array.from({ length: 8 }, () => 'state.s').join(', ')}] }}`;
const COPIES = Object.fromEntries(numbers(900).map((at) => [`a${at}`, '{{ state.s }}']));
const WRITES: NodeDefinition = { type: 'set', write: { log: LARGE_TEXT, count: 1 } };

/** The kinds of runs by which one run can block its neighbors. */
export const LARGE_RUNS: Readonly<Record<string, LargeRun>> = {
  'forEach of 100': largeRun({ in: WRITES }, forEach('in'), 100),
  '70 nodes of a superstep': largeRun(
    Object.fromEntries(numbers(70).map((at) => [`w${at}`, WRITES])),
    numbers(70).map((at) => ({ from: '__start__', to: `w${at}` })),
  ),
  '60 supersteps': largeRun({ in: WRITES }, loop('in', 60)),
  'a list grown 25 times': largeRun({ in: { type: 'set', write: { grown: LARGER_STATE, count: 1 } } }, loop('in', 25)),
  '40 approvals': largeRun({ in: { type: 'approval', title: 'Is it good?', details: LARGE_TEXT } }, forEach('in'), 40),
  'subgraphs five deep': largeRun({ in: subgraph(5) }, forEach('in'), 40),
  'compensate of 900 copies': largeRun(
    {
      call: { type: 'tool', tool: 'quick', args: {}, compensate: { tool: 'quick', args: COPIES } },
      fail: { type: 'set', write: { grown: ['{{ state.list[99] }}'] } },
    },
    [
      { from: '__start__', to: 'call' },
      { from: 'call', to: 'fail' },
    ],
  ),
};

function largeRun(
  nodes: Readonly<Record<string, NodeDefinition>>,
  edges: readonly EdgeDefinition[],
  elements = 40,
): LargeRun {
  return { graph: graphOf('large', nodes, edges), input: { s: LARGE_INPUT, list: numbers(elements) } };
}

function graphOf(
  name: string,
  nodes: Readonly<Record<string, NodeDefinition>>,
  edges: readonly EdgeDefinition[],
): GraphDefinition {
  return {
    name,
    channels: { s: {}, list: {}, log: { reducer: 'append' }, grown: { default: [] }, count: { reducer: 'sum' } },
    nodes,
    edges,
    input: ['s', 'list'],
  };
}

function forEach(node: string): readonly EdgeDefinition[] {
  return [{ from: '__start__', forEach: 'state.list', to: node }];
}

function loop(node: string, times: number): readonly EdgeDefinition[] {
  return [
    { from: '__start__', to: node },
    { from: node, branches: [{ when: `state.count < ${times}`, to: node }, { to: '__end__' }] },
  ];
}

function subgraph(depth: number): NodeDefinition {
  const inside = depth === 1 ? WRITES : subgraph(depth - 1);
  const input = { s: '{{ state.s }}', list: '{{ state.list }}' };
  return {
    type: 'subgraph',
    input,
    graph: graphOf(`depth-${depth}`, { in: inside }, [{ from: '__start__', to: 'in' }]),
  };
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}
