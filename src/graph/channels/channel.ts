import type { ChannelDefinition } from '../definition/definition.ts';
import type { MessageRole } from '../definition/message.ts';
import { describeReducer } from '../definition/reducers.ts';
import { parseExpression } from '../expression/expression.ts';
import { compileJsonSchema } from '../values/json-schema.ts';
import type { SchemaCheck } from '../values/json-schema.ts';
import type { Json } from '../values/json.ts';
import { createReduceContext } from './reducer.ts';
import type { Reducer } from './reducer.ts';
import { reducers } from './reducers.ts';

/** A compiled channel. */
export interface Channel {
  readonly name: string;
  readonly reducer: Reducer;
  /** Two writes of one superstep can't both count. */
  readonly isExclusive: boolean;
  /** The value before any write. */
  readonly initial: Json;
  /** `null`: any value is valid. */
  readonly check: SchemaCheck | null;
  /** True if a value can be read only in the superstep after its write (specification, "Channels"). */
  readonly ephemeral: boolean;
  /** The roles of messages that a conversation takes from outside; `null`: the channel holds no conversation. */
  readonly rolesFromOutside: readonly MessageRole[] | null;
}

/** The channels of a compiled graph, by name. */
export interface ChannelSet {
  readonly channels: ReadonlyMap<string, Channel>;
}

/** The writes of one node task, by channel. */
export type Update = Readonly<Record<string, Json>>;

/**
 * Compiles the definition of a channel.
 * @param isConversation true if a node reads the channel's messages, whatever its reducer
 * @throws GraphError when its default doesn't fit its reducer
 */
export function compileChannel(name: string, definition: ChannelDefinition, isConversation = false): Channel {
  const reducer = compileReducer(definition.reducer ?? 'replace');
  return {
    name,
    reducer,
    isExclusive: describeReducer(definition.reducer)?.isExclusive ?? false,
    initial: definition.default === undefined ? reducer.initial : initialOf(reducer, definition.default),
    check: definition.schema === undefined ? null : compileJsonSchema(definition.schema),
    ephemeral: definition.ephemeral ?? false,
    rolesFromOutside: isConversation || definition.reducer === 'messages' ? rolesOf(definition) : null,
  };
}

function rolesOf({ roles = ['user'] }: ChannelDefinition): readonly MessageRole[] {
  return roles;
}

function compileReducer(reducer: NonNullable<ChannelDefinition['reducer']>): Reducer {
  if (typeof reducer === 'string') return reducers[reducer];
  const expression = parseExpression(reducer.expr, ['current', 'update']);
  return { initial: null, reduce: (current, update) => expression.evaluate({ current, update }) };
}

/** The default as a value of the channel. Messages without ids get the same ids in each run. */
function initialOf({ replacement }: Reducer, value: Json): Json {
  let messages = 0;
  const nextMessageId = (): string => `default.m${++messages}`;
  return replacement ? replacement(value, createReduceContext(nextMessageId)) : value;
}
