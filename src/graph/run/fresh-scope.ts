import type { CompiledGraph } from '../compile/compile.ts';
import { START } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import type { Scope } from './scope.ts';

/** The channels of a graph with the values that channels of the same name had elsewhere, else with their defaults. */
export function carryOver({ channels }: CompiledGraph, values: Scope['channels']): Scope['channels'] {
  return Object.fromEntries(
    [...channels].map(([name, { initial, ephemeral }]) => [name, ephemeral ? initial : (own(values, name) ?? initial)]),
  );
}

/** A graph that has not begun: its channels hold their defaults. */
export function freshScope(graph: CompiledGraph): Scope {
  return {
    step: -1,
    channels: carryOver(graph, {}),
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
