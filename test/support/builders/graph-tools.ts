import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from './builders.ts';
import { CHANNELS, play } from './agents.ts';
import type { Agent, Played, Stage } from './agents.ts';

/* Agents whose tools are graphs. */

/** A graph that refunds an order; `over` can replace its nodes. */
export function aRefund(over: Partial<GraphDefinition> = {}): GraphDefinition {
  return aDefinition({
    name: 'refund',
    description: 'Pays an order back.',
    channels: { order: { schema: { type: 'string' }, description: 'Its number.' }, log: { reducer: 'append' } },
    input: ['order'],
    output: ['log'],
    nodes: { pay: PAY },
    ...over,
  });
}

export const PAY = {
  type: 'tool',
  tool: 'charge',
  args: { key: '{{ state.order }}' },
  write: { log: '{{ result }}' },
} as const;

export const ASK_TO_PAY = {
  type: 'approval',
  title: 'Pay {{ state.order }}?',
  write: { log: '{{ result.decision }}' },
} as const;

/** The first published version of each graph. */
function published(...graphs: readonly GraphDefinition[]): Readonly<Record<string, GraphDefinition>> {
  return Object.fromEntries(graphs.map((graph) => [`${graph.name}@1`, graph]));
}

export interface GraphStage extends Stage {
  readonly graphs?: readonly GraphDefinition[];
  readonly agent?: Agent;
  /** Additional nodes that run in parallel with the agent. */
  readonly beside?: GraphDefinition['nodes'];
}

/** Runs an agent `a` that may call each of the graphs; by default, one that refunds an order. */
export function playGraphs({ graphs = [aRefund()], agent = {}, beside = {}, ...stage }: GraphStage): Played {
  const tools = graphs.map(({ name }) => ({ graph: `${name}@1` }));
  const a: NodeDefinition = { type: 'agent', prompt: 'Hello', tools, write: { log: '{{ result.text }}' } };
  const nodes = { a: { ...a, ...agent }, ...beside };
  return play({
    ...stage,
    catalog: { graphs: published(...graphs), ...stage.catalog },
    graph: { channels: CHANNELS, nodes, edges: [{ from: '__start__', to: Object.keys(nodes) }], ...stage.graph },
  });
}
