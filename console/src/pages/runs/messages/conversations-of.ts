import { isMembers } from '../../../form/fields-of.ts';

/** A message of a conversation, as channels have it. */
export interface ShownMessage {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly name: string | null;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
}

export interface Conversation {
  readonly channel: string;
  readonly messages: readonly ShownMessage[];
}

/** Finds the channels that have a conversation: a list of messages. */
export function conversationsOf(values: Readonly<Record<string, unknown>>): readonly Conversation[] {
  return Object.entries(values).flatMap(([channel, value]) => {
    if (!Array.isArray(value) || value.length === 0) return [];
    const messages = value.flatMap((one: unknown, place) => toMessage(one, place) ?? []);
    return messages.length === value.length ? [{ channel, messages }] : [];
  });
}

/** Reads a message. @param place where it stands in its list. @returns `null`: it is none, or holds files */
export function toMessage(value: unknown, place: number): ShownMessage | null {
  if (!isMembers(value)) return null;
  const { id, role, content, name, toolCalls } = value;
  if (typeof role !== 'string' || typeof content !== 'string') return null;
  return {
    id: typeof id === 'string' ? id : String(place),
    role,
    content,
    name: typeof name === 'string' ? name : null,
    toolCalls: toToolCalls(toolCalls),
  };
}

/** Reads the calls that a model asks for. */
export function toToolCalls(value: unknown): ShownMessage['toolCalls'] {
  return Array.isArray(value) ? value.flatMap(toToolCall) : [];
}

function toToolCall(value: unknown): ShownMessage['toolCalls'] {
  if (!isMembers(value) || typeof value['name'] !== 'string') return [];
  return [{ id: String(value['id']), name: value['name'], args: value['args'] }];
}
