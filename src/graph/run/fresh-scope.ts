import type { ChannelSet } from '../channels/channel.ts';
import { START } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import type { Scope } from './scope.ts';

/** The channels of a graph with the values that channels of the same name had elsewhere, else with their defaults. */
export function carryChannels({ channels }: ChannelSet, values: Scope['channels']): Scope['channels'] {
  return Object.fromEntries(
    [...channels].map(([name, { initial, ephemeral }]) => [name, ephemeral ? initial : (own(values, name) ?? initial)]),
  );
}

/** A graph that has not begun: its channels hold their defaults. */
export function freshScope(graph: ChannelSet): Scope {
  return {
    step: -1,
    channels: carryChannels(graph, {}),
    at: { kind: 'edges', finished: [START], triggers: [] },
    deferred: [],
    joins: {},
    visits: {},
    messages: 0,
  };
}
