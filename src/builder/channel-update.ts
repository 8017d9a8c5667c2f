import type {
  ChannelDefinition,
  Message,
  MessageContent,
  ReducerName,
  ToolCall,
  ValueKindOf,
} from '../graph/definition/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import type { SchemaValue } from './schema-value.ts';

/** The declared channels, by name. */
export type Channels = Readonly<Record<string, ChannelDefinition>>;

export type NoChannels = { readonly [Name in never]: ChannelDefinition };

export type ChannelName<C> = keyof C & string;

/** The writes of a node: only declared channels, each with an update for its reducer and schema. */
export type NodeWrites<C> = [keyof C] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Name in keyof C]?: TemplatedValue<ChannelUpdate<C[Name]>> };

/** An update of a channel. `$replace` bypasses the reducer. */
export type ChannelUpdate<Channel> =
  | ReducerUpdate<ReducerOf<Channel>, Channel>
  | { readonly $replace: ValueOfChannel<Channel> };

export type ReducerOf<Channel> = Channel extends { readonly reducer: infer Reducer } ? Reducer : 'replace';

type ReducerUpdate<Reducer, Channel> = Reducer extends ReducerName
  ? UpdatesByKind<ValueOfChannel<Channel>>[ValueKindOf<Reducer>]
  : Json;

/** The update of a channel with this type of value, by the kind of value that its reducer holds. */
interface UpdatesByKind<Value> {
  readonly 'any value': Value;
  readonly 'a list': ItemOrItems<Value>;
  readonly 'a list of messages': MessageUpdate | readonly MessageUpdate[];
  readonly 'an object': MembersToSet<Value>;
  readonly 'a number': number;
  readonly 'true or false': boolean;
}

/** An item, or a list of items. */
type ItemOrItems<Value> = Json extends Value
  ? Json
  : Value extends readonly (infer Item)[]
    ? Item | readonly Item[]
    : Json;

/** Members to set; `null` removes one. */
type MembersToSet<Value> = Json extends Value
  ? JsonObject
  : Value extends JsonObject
    ? { readonly [Key in keyof Value]?: Value[Key] | null }
    : JsonObject;

/** A message (without an id it gets one), or the removal of one message, or of all earlier ones (`"*"`). */
type MessageUpdate =
  | { readonly remove: string }
  | {
      readonly id?: string;
      readonly role: Message['role'];
      readonly content: MessageContent;
      readonly toolCalls?: readonly ToolCall[];
      readonly toolCallId?: string;
      readonly name?: string;
    };

export type ValueOfChannel<Channel> = Channel extends { readonly schema: infer Schema } ? SchemaValue<Schema> : Json;

/** A text of a single `{{ cel }}` has the type of its expression. */
type TemplateText = `{{${string}}}`;

/** A value in which templates may replace any part. A text may mix templates with other characters. */
type TemplatedValue<Value> = Json extends Value ? Json : TemplateText | TemplatedParts<Value>;

type TemplatedParts<Value> = Value extends string
  ? Value | `${string}{{${string}}}${string}`
  : Value extends readonly (infer Item)[]
    ? readonly TemplatedValue<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: TemplatedValue<Value[Key]> }
      : Value;

/** The input of a run, by channel. Each value passes its channel's reducer. */
export type ChannelInputs<C> = { readonly [Name in keyof C]?: ChannelUpdate<C[Name]> };

/** The state of a run, by channel. */
export type ChannelValues<C> = { readonly [Name in keyof C]: ChannelValue<C[Name]> };

type ChannelValue<Channel> =
  ReducerOf<Channel> extends infer Reducer
    ? Reducer extends ReducerName
      ? ValuesByKind<ValueOfChannel<Channel>>[ValueKindOf<Reducer>] | NullAtFirst<Reducer, Channel>
      : Json
    : never;

/** The value of a channel with this type, by the kind of value that its reducer holds. */
interface ValuesByKind<V> {
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
