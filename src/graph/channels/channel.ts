import type { ChannelDefinition } from '../definition/definition.ts';
import { isMessage, messageProblem } from '../definition/message.ts';
import type { MessageRole, Message } from '../definition/message.ts';
import { describeReducer } from '../definition/reducers.ts';
import type { ReducerName } from '../definition/reducers.ts';
import { parseExpression } from '../expression/expression.ts';
import { compileJsonSchema } from '../values/json-schema.ts';
import type { SchemaCheck } from '../values/json-schema.ts';
import { isJsonObject, toItems } from '../values/json.ts';
import { canonicalJson } from '../values/compare-json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { createReduceContext, asList, appendItems, mismatchError } from './reducer.ts';
import type { Reducer, ReduceContext } from './reducer.ts';
import { GraphError } from '../values/errors.ts';
import { spendUnits } from '../values/meter.ts';
import { abbreviate } from '../values/text.ts';

/** A compiled channel. */
export interface Channel {
  readonly name: string;
  readonly reducer: Reducer;
  /** True if only one write may count in a superstep. */
  readonly isExclusive: boolean;
  /** The value before any write. */
  readonly initial: Json;
  /** `null` if any value is valid. */
  readonly check: SchemaCheck | null;
  /** True if a value can be read only in the superstep after its write (docs/reference/channels.md). */
  readonly ephemeral: boolean;
  /** The roles that messages from outside may have; `null` if the channel holds no conversation. */
  readonly rolesFromOutside: readonly MessageRole[] | null;
}

/** The channels of a compiled graph, by name. */
export interface ChannelSet {
  readonly channels: ReadonlyMap<string, Channel>;
}

/** The writes of one node task, by channel. */
export type UpdateByChannel = Readonly<Record<string, Json>>;

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
    initial: definition.default === undefined ? reducer.initial : initialValue(reducer, definition.default),
    check: definition.schema === undefined ? null : compileJsonSchema(definition.schema),
    ephemeral: definition.ephemeral ?? false,
    rolesFromOutside: isConversation || definition.reducer === 'messages' ? acceptedRoles(definition) : null,
  };
}

function acceptedRoles({ roles = ['user'] }: ChannelDefinition): readonly MessageRole[] {
  return roles;
}

function compileReducer(reducer: NonNullable<ChannelDefinition['reducer']>): Reducer {
  if (typeof reducer === 'string') return BUILT_IN_REDUCERS[reducer];
  const expression = parseExpression(reducer.expr, ['current', 'update']);
  return { initial: null, reduce: (current, update) => expression.evaluate({ current, update }) };
}

/** Returns the default as a value of the channel. Messages without ids get the same ids in each run. */
function initialValue({ replacement }: Reducer, value: Json): Json {
  let messages = 0;
  const nextMessageId = (): string => `default.m${++messages}`;
  return replacement ? replacement(value, createReduceContext(nextMessageId)) : value;
}

/**
 * Chat messages. A message with a known id replaces the old one in place, others are appended; `{ "remove": id }`
 * removes a message, `{ "remove": "*" }` all before it. A write is one of these or a list of them.
 */
const messagesReducer: Reducer = {
  initial: [],
  reduce(current, update, context) {
    const before = asList(current);
    const changes = toItems(update);
    if (!changesKnown(before, changes)) return appendAll(before, changes, context);
    const list = new MessageList(before);
    for (const change of changes) applyChange(list, change, context);
    const changed = list.toList();
    context.owned.add(changed);
    return changed;
  },
  replacement(value, context) {
    const list = new MessageList([]);
    for (const message of asList(value)) list.put(readChangedMessage(message, context));
    return list.toList();
  },
};

/** Messages by id, in order. Each change takes constant time, however many messages there are. */
class MessageList {
  readonly #messages = new Map<unknown, Json>();

  constructor(messages: readonly Json[]) {
    for (const message of messages) this.#set(idOfMessage(message) ?? Symbol('without id'), message);
  }

  put(message: Message): void {
    this.#set(message.id, message);
  }

  /** @returns false if there is no such message */
  remove(id: string): boolean {
    if (id !== '*') return this.#messages.delete(id);
    this.#messages.clear();
    return true;
  }

  toList(): Json[] {
    return [...this.#messages.values()];
  }

  #set(id: unknown, message: Json): void {
    spendUnits(2);
    this.#messages.set(id, message);
  }
}

/** True if a change removes or replaces an existing message of the channel. */
function changesKnown(before: readonly Json[], changes: readonly Json[]): boolean {
  if (changes.some(isRemoval)) return true;
  spendUnits(before.length + changes.length);
  const ids = new Set<Json>(changes.map(idOfMessage).filter((id) => id !== null));
  return ids.size > 0 && before.some((message) => ids.has(idOfMessage(message)));
}

function appendAll(before: readonly Json[], changes: readonly Json[], context: ReduceContext): readonly Json[] {
  const added = new MessageList([]);
  for (const change of changes) added.put(readChangedMessage(change, context));
  return appendItems(before, added.toList(), context);
}

function applyChange(list: MessageList, change: Json, context: ReduceContext): void {
  if (!isRemoval(change)) list.put(readChangedMessage(change, context));
  else if (!list.remove(change.remove))
    throw new GraphError(
      'UNKNOWN_MESSAGE',
      `there is no message "${abbreviate(change.remove, MAX_QUOTED_ID)}" to remove`,
    );
}

/** In characters. Longer ids are cut in error messages. */
const MAX_QUOTED_ID = 100;

function readChangedMessage(change: Json, context: ReduceContext): Message {
  const message =
    isJsonObject(change) && change['id'] === undefined ? { id: context.nextMessageId(), ...change } : change;
  if (isMessage(message)) return message;
  throw new GraphError('CHANNEL_SCHEMA_VIOLATION', messageProblem(message));
}

function idOfMessage(message: Json): Json {
  return isJsonObject(message) ? (message['id'] ?? null) : null;
}

function isRemoval(change: Json): change is JsonObject & { readonly remove: string } {
  return isJsonObject(change) && typeof change['remove'] === 'string' && Object.keys(change).length === 1;
}

/** The reducers that a channel may name (docs/reference/channels.md). */
export const BUILT_IN_REDUCERS: Readonly<Record<ReducerName, Reducer>> = {
  /** The last value written. */
  replace: { initial: null, reduce: (_current, update) => update },
  /** A list. A list written to it is concatenated, any other value pushed. */
  append: {
    initial: [],
    reduce: (current, update, context) => appendItems(asList(current), toItems(update), context),
  },
  /** A list without duplicates by deep equality. The first occurrence stays. */
  union: { initial: [], reduce: addMissing },
  /** An object, merged shallowly: later keys win, a `null` value removes its key. */
  merge: { initial: {}, changesOnlyMembers: true, reduce: mergeMembers },
  sum: scalarReducer(0, asNumber, addNumbers),
  min: scalarReducer(null, asNumber, (a, b) => Math.min(a, b)),
  max: scalarReducer(null, asNumber, (a, b) => Math.max(a, b)),
  and: scalarReducer(null, asBoolean, (a, b) => a && b),
  or: scalarReducer(null, asBoolean, (a, b) => a || b),
  messages: messagesReducer,
};

function addMissing(...[current, update, context]: Parameters<Reducer['reduce']>): Json {
  const list = asList(current);
  const seen = new Set(list.map(canonicalJson));
  const missing = toItems(update).filter((item) => {
    const key = canonicalJson(item);
    return !seen.has(key) && seen.add(key);
  });
  return appendItems(list, missing, context);
}

function mergeMembers(current: Json, update: Json): Json {
  if (!isJsonObject(update)) throw mismatchError('an object', update);
  const written = Object.entries(update);
  const removed = new Set(written.filter(([, value]) => value === null).map(([key]) => key));
  const members = [...Object.entries(isJsonObject(current) ? current : {}), ...written];
  spendUnits(1 + 4 * members.length);
  return Object.fromEntries(members.filter(([key]) => !removed.has(key)));
}

/** A reducer of numbers or booleans. The first write to an empty channel becomes its value unchanged. */
function scalarReducer<T extends number | boolean>(
  initial: T | null,
  read: (value: Json) => T,
  combine: (a: T, b: T) => T,
): Reducer {
  return {
    initial,
    reduce: (current, update) => (current === null ? read(update) : combine(read(current), read(update))),
  };
}

function asNumber(value: Json): number {
  if (typeof value !== 'number') throw mismatchError('a number', value);
  return value;
}

function asBoolean(value: Json): boolean {
  if (typeof value !== 'boolean') throw mismatchError('true or false', value);
  return value;
}

function addNumbers(a: number, b: number): number {
  const total = a + b;
  if (Number.isFinite(total)) return total;
  throw new GraphError('CHANNEL_SCHEMA_VIOLATION', `its sum is beyond all numbers: ${a} and ${b} more`);
}
