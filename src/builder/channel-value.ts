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
      ? Values<Value<Channel>>[ValueKindOf<Reducer>] | NullAtFirst<Reducer, Channel>
      : Json
    : never;

/** The value of a channel with this type, by the kind of value that its reducer holds. */
interface Values<V> {
  readonly 'any value': V;
  readonly 'a list': Json extends V ? readonly Json[] : V;
  readonly 'a list of messages': readonly Message[];
  readonly 'an object': Json extends V ? JsonObject : V;
  readonly 'a number': number;
  readonly 'true or false': boolean;
}

/** `null` for a channel that is `null` until it is written. A valid default is of the channel's kind. */
type NullAtFirst<Reducer, Channel> = Channel extends { readonly default: unknown }
  ? never
  : Reducer extends BeginsAsNull
    ? null
    : never;

/** The reducers that have nothing to begin with. */
type BeginsAsNull = 'replace' | 'min' | 'max' | 'and' | 'or';
