import type { GraphDefinition, NodeOfType } from '../../src/graph/definition/definition.ts';
import { READ_TOOLS, UNDO, WRITE_TOOLS, undoableName } from './tools.ts';
import type { ToolFacts } from './tools.ts';

/* The agent of the shop, and the same agent with writes that can be undone. */

/** The agent that calls the tools itself. */
export const RETAIL = 'retail';
/** The agent whose writes are graphs with a compensation. */
export const UNDOING_RETAIL = 'retail-undoing';

export type AgentName = typeof RETAIL | typeof UNDOING_RETAIL;

/** All graphs, in an order in which they can be published. */
export function retailGraphs(policy: string): readonly GraphDefinition[] {
  const reads = Object.keys(READ_TOOLS);
  const undoable = Object.entries(WRITE_TOOLS).map(([name, facts]) => anUndoable(name, facts));
  return [
    anAgent(RETAIL, policy, [...reads, ...Object.keys(WRITE_TOOLS)]),
    ...undoable,
    anAgent(UNDOING_RETAIL, policy, [...reads, ...undoable.map(({ name }) => ({ graph: name }))]),
  ];
}

function anAgent(name: AgentName, system: string, tools: NonNullable<NodeOfType<'agent'>['tools']>): GraphDefinition {
  return {
    name,
    channels: { messages: { reducer: 'messages' }, answer: {} },
    nodes: {
      serve: {
        type: 'agent',
        system,
        messages: 'messages',
        tools,
        maxIterations: 20,
        write: { answer: '{{ result.text }}' },
      },
    },
    edges: [{ from: '__start__', to: 'serve' }],
    input: ['messages'],
    output: ['answer'],
  };
}

function anUndoable(write: string, { description, parameters }: ToolFacts): GraphDefinition {
  const names = Object.keys(parameters);
  const channels = Object.entries(parameters).map(([name, schema]) => [name, { schema }]);
  return {
    name: undoableName(write),
    description,
    channels: { ...Object.fromEntries(channels), done: {} },
    nodes: {
      write: {
        type: 'tool',
        tool: write,
        args: Object.fromEntries(names.map((name) => [name, `{{ state.${name} }}`])),
        write: { done: '{{ result }}' },
        compensate: { tool: UNDO, args: { receipt: '{{ result.receipt }}' } },
      },
    },
    edges: [{ from: '__start__', to: 'write' }],
    input: names,
    output: ['done'],
  };
}
