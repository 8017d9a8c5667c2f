import type { ChannelDefinition, Message, ToolCall } from '../graph/definition/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import type { SchemaValue } from './schema-value.ts';

/** The declared channels, by name. */
export type Channels = Readonly<Record<string, ChannelDefinition>>;

export type NoChannels = { readonly [Name in never]: ChannelDefinition };

export type ChannelName<C> = keyof C & string;

/** What nodes may write: declared channels only, each with an update that its reducer and its schema take. */
export type Writes<C> = [keyof C] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Name in keyof C]?: Templated<ChannelUpdate<C[Name]>> };

/** What may be written to a channel. `$replace` bypasses the reducer. */
export type ChannelUpdate<Channel> = ReducerUpdate<ReducerOf<Channel>, Channel> | { readonly $replace: Value<Channel> };

type ReducerOf<Channel> = Channel extends { readonly reducer: infer Reducer } ? Reducer : 'replace';

type ReducerUpdate<Reducer, Channel> = Reducer extends keyof Updates<never> ? Updates<Value<Channel>>[Reducer] : Json;

/** What each reducer takes, for a channel with values of this type. */
interface Updates<Value> {
  readonly replace: Value;
  readonly append: Items<Value>;
  readonly union: Items<Value>;
  readonly merge: Members<Value>;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly and: boolean;
  readonly or: boolean;
  readonly messages: MessageUpdate | readonly MessageUpdate[];
}

/** An item, or a list of them. */
type Items<Value> = Json extends Value ? Json : Value extends readonly (infer Item)[] ? Item | readonly Item[] : Json;

/** Some members; `null` removes one. */
type Members<Value> = Json extends Value
  ? JsonObject
  : Value extends JsonObject
    ? { readonly [Key in keyof Value]?: Value[Key] | null }
    : JsonObject;

/** A message (its id is generated when it has none), or the removal of one, or of all that came before (`"*"`). */
type MessageUpdate =
  | { readonly remove: string }
  | {
      readonly id?: string;
      readonly role: Message['role'];
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly toolCallId?: string;
      readonly name?: string;
    };

type Value<Channel> = Channel extends { readonly schema: infer Schema } ? SchemaValue<Schema> : Json;

/** A text that is one `{{ cel }}` may have any value. */
type Template = `{{${string}}}`;

/** A value in which a template may stand for any part. A text may also hold templates among other characters. */
type Templated<Value> = Json extends Value ? Json : Template | TemplatedParts<Value>;

type TemplatedParts<Value> = Value extends string
  ? Value | `${string}{{${string}}}${string}`
  : Value extends readonly (infer Item)[]
    ? readonly Templated<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Templated<Value[Key]> }
      : Value;
