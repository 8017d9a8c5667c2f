import type { CompiledGraph } from './compile.ts';
import { START } from './definition.ts';
import type { Scope } from './scope.ts';

/** A graph that has not begun: its channels hold their defaults. */
export function freshScope(graph: CompiledGraph): Scope {
  return {
    step: -1,
    channels: Object.fromEntries([...graph.channels].map(([name, { initial }]) => [name, initial])),
    triggers: [],
    deferred: [],
    joins: {},
    visits: {},
    superstep: null,
    unfired: [START],
    messages: 0,
    hold: null,
    hasPassed: false,
  };
}
