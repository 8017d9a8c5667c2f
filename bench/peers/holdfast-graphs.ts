import type { GraphDefinition } from '../../src/graph/definition/definition.ts';

/** The rows as graphs, whose names end with the name of their tool. */
export function graphsWith(tool: string): readonly GraphDefinition[] {
  return [toolStepsWith(tool), fanOutWith(tool), askingWith(tool)];
}

/** The name of the graph of a row that calls a tool. */
export function graphName(row: 'tool-steps' | 'fan-out' | 'asking', tool: string): string {
  return `${row}-${tool.replaceAll('_', '-')}`;
}

function toolStepsWith(tool: string): GraphDefinition {
  return {
    name: graphName('tool-steps', tool),
    channels: { count: { default: 0 }, wanted: {} },
    nodes: {
      step: { type: 'tool', tool, args: { at: '{{ state.count }}' }, write: { count: '{{ state.count + 1 }}' } },
    },
    edges: LOOP,
    input: ['wanted'],
    limits: { maxSteps: 1_000 },
  };
}

function fanOutWith(tool: string): GraphDefinition {
  return {
    name: graphName('fan-out', tool),
    channels: { items: {}, done: { reducer: 'append' } },
    nodes: { call: { type: 'tool', tool, args: { at: '{{ item }}' }, write: { done: '{{ item }}' } } },
    edges: [{ from: '__start__', forEach: 'state.items', to: 'call' }],
    input: ['items'],
  };
}

function askingWith(tool: string): GraphDefinition {
  return {
    name: graphName('asking', tool),
    channels: { decision: {} },
    nodes: {
      ask: { type: 'approval', title: 'May I?', write: 'decision' },
      call: { type: 'tool', tool, args: { at: 0 } },
    },
    edges: [
      { from: '__start__', to: 'ask' },
      { from: 'ask', to: 'call' },
    ],
  };
}

const LOOP: GraphDefinition['edges'] = [
  { from: '__start__', to: 'step' },
  { from: 'step', branches: [{ when: 'state.count < state.wanted', to: 'step' }, { to: '__end__' }] },
];

/** The row without a tool. */
export const PURE_STEPS: GraphDefinition = {
  name: 'pure-steps',
  channels: { count: { default: 0 }, wanted: {} },
  nodes: { step: { type: 'set', write: { count: '{{ state.count + 1 }}' } } },
  edges: LOOP,
  input: ['wanted'],
  limits: { maxSteps: 1_000 },
};
