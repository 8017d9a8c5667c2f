import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from './builders.ts';

/* Valid graphs that need far more than a run may hold or compute. */

const PART = 'x'.repeat(900_000);
/** A template of eight parts with a value of about 7 MB. */
export const LARGE = Array.from({ length: 8 }, () => '{{ state.s }}').join(' ');
/** An expression with almost the maximum number of units. */
export const COSTLY = 'size(state.l.filter(x, state.l.exists(y, x + y == -1.0)))';
export const COSTLY_TEXT = `{{ ${COSTLY} }}`;

const numbers = (count: number): Json => Array.from({ length: count }, (_, at) => at);

const CHANNELS = {
  s: { default: PART },
  l: { default: numbers(330) },
  list: { default: numbers(1_000) },
  out: { reducer: 'append' },
  n: { reducer: 'sum', default: 0 },
  one: {},
  unit: { reducer: 'union' },
  merged: { reducer: 'merge' },
} as const satisfies GraphDefinition['channels'];

/** The maximum number of supersteps. */
const MOST_STEPS = 10_000;

function shape(given: Partial<GraphDefinition>): GraphDefinition {
  const channels = { ...CHANNELS, ...given.channels };
  return aDefinition({ limits: { maxSteps: MOST_STEPS }, ...given, channels });
}

const end = { type: 'set' } as const;

/** A node for each of many elements. */
export function elements(each: NodeDefinition, count = 300, more: Partial<GraphDefinition> = {}): GraphDefinition {
  const edges: EdgeDefinition[] = [{ from: '__start__', forEach: `state.list.filter(x, x < ${count})`, to: 'each' }];
  return shape({ ...more, nodes: { each, ...more.nodes }, edges: [...edges, ...(more.edges ?? [])] });
}

/** Like `elements`, with an `onError` edge. */
export function elementsWithOnError(each: NodeDefinition, count = 300): GraphDefinition {
  return elements({ ...each, onError: { to: 'end' } }, count, { nodes: { end } });
}

/** Many parallel nodes, each with its own channel. */
export function nodes(make: (channel: string) => NodeDefinition, count = 300): GraphDefinition {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`);
  return shape({
    channels: Object.fromEntries(ids.map((id) => [`c${id}`, {}])),
    nodes: Object.fromEntries(ids.map((id) => [id, make(`c${id}`)])),
    edges: ids.map((to) => ({ from: '__start__', to })),
  });
}

/** One node in a loop with the given number of visits. */
export function loop(node: NodeDefinition, count = MOST_STEPS): GraphDefinition {
  const write = typeof node.write === 'object' ? node.write : {};
  return shape({
    nodes: { a: { ...node, write: { n: 1, ...write } } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: [{ when: `state.n < ${count}.0`, to: 'a' }] },
    ],
  });
}

/** A node with the given outgoing edges. */
export function edges(...from: readonly EdgeDefinition[]): GraphDefinition {
  return shape({ nodes: { a: end, b: end }, edges: [{ from: '__start__', to: 'a' }, ...from] });
}

/** Nested graphs, each of which runs the next one for each of `count` elements. */
export function nested(levels: number, count: number, leaf: NodeDefinition): GraphDefinition {
  return shape({ nodes: { a: nestedNode(levels, count, leaf) }, edges: [{ from: '__start__', to: 'a' }] });
}

function nestedNode(levels: number, count: number, leaf: NodeDefinition): NodeDefinition {
  if (levels === 0) return leaf;
  const graph = aDefinition({
    name: `level-${levels}`,
    channels: { ...CHANNELS, s: { default: '' }, list: { default: numbers(count) } },
    nodes: { each: nestedNode(levels - 1, count, leaf) },
    edges: [{ from: '__start__', forEach: 'state.list', to: 'each' }],
  });
  return { type: 'subgraph', graph };
}

/** A graph within a node. */
export function inside(graph: GraphDefinition): GraphDefinition {
  return shape({ nodes: { sub: { type: 'subgraph', graph } }, edges: [{ from: '__start__', to: 'sub' }] });
}

/** A channel with a custom reducer, written by many elements. */
export function customReducer(expr: string, value: Json, count = 300): GraphDefinition {
  return elements({ type: 'set', write: { red: value } }, count, { channels: { red: { reducer: { expr } } } });
}
