import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';

/** The kind of steps in a chain. */
export type ChainKind = 'pure' | 'tool';

const NODES: Readonly<Record<ChainKind, NodeDefinition>> = {
  pure: { type: 'set', write: { count: '{{ state.count + 1 }}' } },
  tool: { type: 'tool', tool: 'ping', args: { at: '{{ state.count }}' }, write: { count: '{{ state.count + 1 }}' } },
};

/** A graph with the given number of nodes in sequence. */
export function chainOf(kind: ChainKind, length: number): GraphDefinition {
  const ids = Array.from({ length }, (_, at) => `n${at}`);
  return {
    name: `${kind}-chain`,
    channels: { count: { default: 0 } },
    nodes: Object.fromEntries(ids.map((id) => [id, NODES[kind]])),
    edges: ids.map((to, at) => ({ from: ids[at - 1] ?? '__start__', to })),
    limits: { maxSteps: length + 1 },
  };
}

/** A node in a loop with the given number of visits. */
export function loopOf(kind: ChainKind, length: number): GraphDefinition {
  return {
    name: `${kind}-loop`,
    channels: { count: { default: 0 } },
    nodes: { again: NODES[kind] },
    edges: [
      { from: '__start__', to: 'again' },
      { from: 'again', branches: [{ when: `state.count < ${length}`, to: 'again' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: length },
  };
}

/** One task for each element of a list. */
export function fanOut(): GraphDefinition {
  return {
    name: 'fan-out',
    channels: { items: {}, doubled: { reducer: 'append' } },
    nodes: { double: { type: 'set', write: { doubled: '{{ item * 2 }}' } } },
    edges: [{ from: '__start__', forEach: 'state.items', to: 'double' }],
  };
}
