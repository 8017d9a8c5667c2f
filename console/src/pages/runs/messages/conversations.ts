import { isMembers } from '../../../form/fields.ts';

/** A message of a conversation. */
export interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly name: string | null;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
}

export interface Conversation {
  readonly channel: string;
  readonly messages: readonly Message[];
}

/** Finds the channels that hold a conversation, which is a list of messages. */
export function findConversations(values: Readonly<Record<string, unknown>>): readonly Conversation[] {
  return Object.entries(values).flatMap(([channel, value]) => {
    if (!Array.isArray(value) || value.length === 0) return [];
    const messages = value.flatMap((one: unknown, index) => toMessage(one, index) ?? []);
    return messages.length === value.length ? [{ channel, messages }] : [];
  });
}

/** Reads a message. @param index its index in the list. @returns `null` for a value that is no message, or one with files */
export function toMessage(value: unknown, index: number): Message | null {
  if (!isMembers(value)) return null;
  const { id, role, content, name, toolCalls } = value;
  if (typeof role !== 'string' || typeof content !== 'string') return null;
  return {
    id: typeof id === 'string' ? id : String(index),
    role,
    content,
    name: typeof name === 'string' ? name : null,
    toolCalls: toToolCalls(toolCalls),
  };
}

/** Reads the tool calls in a message of a model. */
export function toToolCalls(value: unknown): Message['toolCalls'] {
  return Array.isArray(value) ? value.flatMap(toToolCall) : [];
}

function toToolCall(value: unknown): Message['toolCalls'] {
  if (!isMembers(value) || typeof value['name'] !== 'string') return [];
  return [{ id: String(value['id']), name: value['name'], args: value['args'] }];
}

/** A delta of a model's answer from the stream (`docs/streams.md`). */
export interface ModelDelta {
  readonly node: string;
  readonly path?: readonly string[];
  readonly visit: number;
  readonly attempt: number;
  readonly callKey: string;
  readonly index: number;
  readonly text: string;
}

/** The partial reply of a model in an unfinished call. */
export interface PartialReply {
  readonly callKey: string;
  readonly node: string;
  readonly attempt: number;
  /** The number of the next delta. */
  readonly next: number;
  readonly text: string;
  /** True if deltas are missing, because the stream was opened late or interrupted. */
  readonly hasGaps: boolean;
}

export type PartialReplies = ReadonlyMap<string, PartialReply>;

/** Adds a delta to the partial replies. A later attempt replaces an earlier one, whose further deltas are ignored. */
export function joinDelta(replies: PartialReplies, delta: ModelDelta): PartialReplies {
  const { callKey, node, attempt, index, text } = delta;
  const known = replies.get(callKey);
  if (known && attempt < known.attempt) return replies;
  const goesOn = known?.attempt === attempt ? known : { next: 0, text: '', hasGaps: false };
  if (index < goesOn.next) return replies;
  const hasGaps = goesOn.hasGaps || index > goesOn.next;
  const joined = { callKey, node, attempt, next: index + 1, text: goesOn.text + text, hasGaps };
  return new Map(replies).set(callKey, joined);
}

/** Removes the calls that have ended, as the history has their results. */
export function withoutCalls<Call extends { readonly callKey: string }>(
  calls: ReadonlyMap<string, Call>,
  ended: ReadonlySet<string>,
): readonly Call[] {
  return [...calls.values()].filter(({ callKey }) => !ended.has(callKey));
}

/** What the code of a call reports while it works. */
export interface CallProgress {
  readonly callKey: string;
  readonly node: string;
  readonly tool: string;
  readonly value: unknown;
}
