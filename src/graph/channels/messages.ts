import { GraphError } from '../values/errors.ts';
import { isJsonObject, toItems } from '../values/json.ts';
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
    const list = [...before];
    for (const change of changes) applyChange(list, change, context);
    context.owned.add(list);
    return list;
  },
  replacement(value, context) {
    const list: Json[] = [];
    for (const message of asList(value)) put(list, readMessage(message, context));
    return list;
  },
};

/** True if a change removes or replaces a message of the channel. */
function changesKnown(before: readonly Json[], changes: readonly Json[]): boolean {
  if (changes.some(isRemoval)) return true;
  const ids = new Set<Json>(changes.map(idOf).filter((id) => id !== null));
  return ids.size > 0 && before.some((message) => ids.has(idOf(message)));
}

function appendAll(before: readonly Json[], changes: readonly Json[], context: ReduceContext): readonly Json[] {
  const added: Json[] = [];
  for (const change of changes) put(added, readMessage(change, context));
  return extend(before, added, context);
}

function applyChange(list: Json[], change: Json, context: ReduceContext): void {
  if (isRemoval(change)) remove(list, change.remove);
  else put(list, readMessage(change, context));
}

function remove(list: Json[], id: string): void {
  if (id === '*') {
    list.length = 0;
    return;
  }
  const at = list.findIndex((message) => idOf(message) === id);
  if (at < 0) throw new GraphError('UNKNOWN_MESSAGE', `there is no message "${id}" to remove`);
  list.splice(at, 1);
}

function put(list: Json[], message: Message): void {
  const at = list.findIndex((other) => idOf(other) === message.id);
  if (at < 0) list.push(message);
  else list[at] = message;
}

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
