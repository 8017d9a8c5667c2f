import type { ChannelDefinition } from '../definition/definition.ts';
import { describeReducer } from '../definition/reducers.ts';
import { parseExpression } from '../expression/expression.ts';
import { compileJsonSchema } from '../values/json-schema.ts';
import type { SchemaCheck } from '../values/json-schema.ts';
import type { Json } from '../values/json.ts';
import { OwnedLists } from './reducer.ts';
import type { Reducer } from './reducer.ts';
import { reducers } from './reducers.ts';

/** A channel, ready to take writes. */
export interface Channel {
  readonly name: string;
  readonly reducer: Reducer;
  /** Two writes of one superstep can't both count. */
  readonly isExclusive: boolean;
  /** The value before any write. */
  readonly initial: Json;
  readonly check: SchemaCheck | null;
  readonly ephemeral: boolean;
}

export function compileChannel(name: string, definition: ChannelDefinition): Channel {
  const reducer = compileReducer(definition.reducer ?? 'replace');
  return {
    name,
    reducer,
    isExclusive: describeReducer(definition.reducer)?.isExclusive ?? false,
    initial: definition.default === undefined ? reducer.initial : initialOf(reducer, definition.default),
    check: definition.schema === undefined ? null : compileJsonSchema(definition.schema),
    ephemeral: definition.ephemeral ?? false,
  };
}

/** Messages that have no ids are given some, the same in each run. */
function initialOf({ replacement }: Reducer, value: Json): Json {
  let messages = 0;
  const nextMessageId = (): string => `default.m${++messages}`;
  return replacement ? replacement(value, { owned: new OwnedLists(), extension: null, nextMessageId }) : value;
}

function compileReducer(reducer: NonNullable<ChannelDefinition['reducer']>): Reducer {
  if (typeof reducer === 'string') return reducers[reducer];
  const expression = parseExpression(reducer.expr, ['current', 'update']);
  return { initial: null, reduce: (current, update) => expression.evaluate({ current, update }) };
}

/** The channels of a compiled graph, by name. */
export interface ChannelSet {
  readonly channels: ReadonlyMap<string, Channel>;
}

/** What a node writes, by channel. */
export type Update = Readonly<Record<string, Json>>;
