import type { ChannelSet } from '../channels/channel.ts';
import { START } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import type { Scope } from './scope.ts';

/** Returns the channels of a graph, with given values where names match and defaults elsewhere. */
export function carryChannels({ channels }: ChannelSet, values: Scope['channels']): Scope['channels'] {
  return Object.fromEntries(
    [...channels].map(([name, { initial, ephemeral }]) => {
      const carried = ephemeral ? undefined : own(values, name);
      return [name, carried === undefined ? initial : carried];
    }),
  );
}

/** Returns the scope of a graph that has not begun, with the channels' defaults. */
export function freshScope(graph: ChannelSet): Scope {
  return {
    step: -1,
    channels: carryChannels(graph, {}),
    at: { kind: 'edges', finished: [START], triggers: [] },
    deferred: [],
    joins: {},
    visits: {},
    messages: 0,
    widest: 0,
  };
}
