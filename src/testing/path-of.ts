import type { RunEvent } from '../graph/journal/index.ts';

/** Returns the nodes in the order in which they began; a node inside a subgraph is `outer/inner`. */
export function pathOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'node.started' ? [[...(event.path ?? []), event.node].join('/')] : [],
  );
}

/** Returns the nodes of each superstep of the graph itself. */
export function stepsOf(events: readonly RunEvent[]): readonly (readonly string[])[] {
  return events.flatMap((event) => (event.type === 'step.started' && event.path === undefined ? [event.nodes] : []));
}
