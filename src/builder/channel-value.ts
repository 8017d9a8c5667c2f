import type { Message } from '../graph/definition/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import type { ChannelUpdate, ReducerOf, Value } from './channel-update.ts';
import type { ReducerName, ValueKindOf } from '../graph/definition/index.ts';

/** The input of a run, by channel. Each value passes its channel's reducer. */
export type ChannelInputs<C> = { readonly [Name in keyof C]?: ChannelUpdate<C[Name]> };

/** The state of a run, by channel. */
export type ChannelValues<C> = { readonly [Name in keyof C]: ChannelValue<C[Name]> };

type ChannelValue<Channel> =
  ReducerOf<Channel> extends infer Reducer
    ? Reducer extends ReducerName
      ? Values<Value<Channel>>[ValueKindOf<Reducer>]
      : Json
    : never;

/** The value of a channel with this type, by the kind of value that its reducer holds. */
interface Values<V> {
  /** `null` until it is written, unless there is a default. */
  readonly 'any value': V | null;
  readonly 'a list': Json extends V ? readonly Json[] : V;
  readonly 'a list of messages': readonly Message[];
  readonly 'an object': Json extends V ? JsonObject : V;
  readonly 'a number': number;
  readonly 'true or false': boolean;
}
