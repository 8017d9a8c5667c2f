import { GraphError } from '../values/errors.ts';
import { isJsonObject, toItems } from '../values/json.ts';
import { spend } from '../values/meter.ts';
import { abbreviate } from '../values/text.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { isMessage, messageProblem } from '../definition/message.ts';
import type { Message } from '../definition/message.ts';
import { asList, extend } from './reducer.ts';
import type { ReduceContext, Reducer } from './reducer.ts';

/**
 * Chat messages. A message with a known id replaces the old one in place, others are appended; `{ "remove": id }`
 * removes a message, `{ "remove": "*" }` all before it. A write is one of these or a list of them.
 */
export const messages: Reducer = {
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
    for (const message of asList(value)) list.put(readMessage(message, context));
    return list.toList();
  },
};

/** Messages by their ids, in their order. Each change takes the same time, however many there are. */
class MessageList {
  readonly #messages = new Map<unknown, Json>();

  constructor(messages: readonly Json[]) {
    for (const message of messages) this.#set(idOf(message) ?? Symbol('without id'), message);
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
    spend(2);
    this.#messages.set(id, message);
  }
}

/** True if a change removes or replaces a message of the channel. */
function changesKnown(before: readonly Json[], changes: readonly Json[]): boolean {
  if (changes.some(isRemoval)) return true;
  spend(before.length + changes.length);
  const ids = new Set<Json>(changes.map(idOf).filter((id) => id !== null));
  return ids.size > 0 && before.some((message) => ids.has(idOf(message)));
}

function appendAll(before: readonly Json[], changes: readonly Json[], context: ReduceContext): readonly Json[] {
  const added = new MessageList([]);
  for (const change of changes) added.put(readMessage(change, context));
  return extend(before, added.toList(), context);
}

function applyChange(list: MessageList, change: Json, context: ReduceContext): void {
  if (!isRemoval(change)) list.put(readMessage(change, context));
  else if (!list.remove(change.remove))
    throw new GraphError('UNKNOWN_MESSAGE', `there is no message "${abbreviate(change.remove, MAX_ID)}" to remove`);
}

/** In characters: longer ids are cut in error messages. */
const MAX_ID = 100;

function readMessage(change: Json, context: ReduceContext): Message {
  const message =
    isJsonObject(change) && change['id'] === undefined ? { id: context.nextMessageId(), ...change } : change;
  if (isMessage(message)) return message;
  throw new GraphError('CHANNEL_SCHEMA_VIOLATION', messageProblem(message));
}

function idOf(message: Json): Json {
  return isJsonObject(message) ? (message['id'] ?? null) : null;
}

function isRemoval(change: Json): change is JsonObject & { readonly remove: string } {
  return isJsonObject(change) && typeof change['remove'] === 'string' && Object.keys(change).length === 1;
}
