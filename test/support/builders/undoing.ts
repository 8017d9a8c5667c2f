import type { NodeDefinition, NodeOfType } from '../../../src/graph/definition/definition.ts';
import type { MemoryRun } from '../doubles/memory-shell.ts';

/** Pays; the compensation uses the result of the payment. */
export const pays = (key: string): Extract<NodeOfType<'tool'>, { tool: string }> => ({
  type: 'tool',
  tool: 'charge',
  args: { key },
  compensate: { tool: 'notify', args: { key: '{{ "back " + result.receipt }}' } },
});
export const breaks: NodeDefinition = { type: 'tool', tool: 'lookup', args: { key: 'break' } };
export const asks: NodeDefinition = { type: 'approval', title: 'May I?' };

/** Returns the compensation events of a run, each with its node. */
export const undoEventsOf = ({ events }: MemoryRun): string[] =>
  events.flatMap((event) =>
    'node' in event && /^compensation|^node\.compensated/.test(event.type) ? [`${event.type} ${event.node}`] : [],
  );
