import type { ModelFields } from '../../definition/node-types/model-fields.ts';
import { isMessage, toolCallsOf, SUMMARY_HEADING, SUMMARY_ID } from '../../definition/message.ts';
import type { Message, NewMessage, ToolCall } from '../../definition/message.ts';
import type { Bindings } from '../../expression/names.ts';
import type { ModelReply } from '../../run/effect.ts';
import { PROMPT } from '../../run/model-turn.ts';
import type { MessageSummary } from '../../run/model-turn.ts';
import { isJsonList, isJsonObject, own, toTemplateText } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { parseTemplatedField } from '../node-settings.ts';

/** The beginning of a conversation: everything before the task's own messages. */
export interface ConversationStart {
  readonly system: string | null;
  readonly messages: readonly Message[];
}

/** Compiles the beginning of a node's conversations: a prompt, or the messages of a channel. */
export function compileConversationStart(
  node: Pick<ModelFields, 'system' | 'prompt' | 'messages'>,
): (bindings: Bindings) => ConversationStart {
  const system = node.system === undefined ? null : parseTemplatedField('system', node.system, '');
  const prompt = node.prompt === undefined ? null : parseTemplatedField('prompt', node.prompt, '');
  return (bindings) => ({
    system: system && toTemplateText(system.fill(bindings)),
    messages: prompt
      ? [{ id: PROMPT, role: 'user', content: toTemplateText(prompt.fill(bindings)) }]
      : messagesOfChannel(bindings.state, node.messages),
  });
}

/** Returns the messages of a channel; none if the channel is missing or not a list. */
export function messagesOfChannel(state: Json | undefined, channel: string | undefined): readonly Message[] {
  const value = channel !== undefined && isJsonObject(state) ? own(state, channel) : undefined;
  return isJsonList(value) ? value.filter(isMessage) : [];
}

/**
 * Removes the tool requests of a reply, and the provider's form of them, for a model that was not allowed to make any.
 */
export function withoutToolRequests(reply: ModelReply): ModelReply {
  if (reply.toolCalls.length === 0) return reply;
  const { providerParts: _removed, ...rest } = reply;
  return { ...rest, toolCalls: [] };
}

/** Replies with another finish reason are incomplete, or may be. */
const COMPLETE: ReadonlySet<ModelReply['finishReason']> = new Set(['stop', 'tool-calls']);

/** A model's reply as a message of the conversation. The message of an incomplete reply has its finish reason. */
export function toAssistantMessage({ text, toolCalls, finishReason, providerParts }: ModelReply): NewMessage {
  return {
    role: 'assistant',
    content: text,
    ...(!COMPLETE.has(finishReason) && { finishReason }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(providerParts && { providerParts }),
  };
}

/**
 * Gives tool calls ids that are unique in the conversation: ids of providers may be empty or repeated. A changed reply
 * loses its provider parts, which hold the old ids.
 */
export function withUniqueIds(reply: ModelReply, before: readonly NewMessage[]): ModelReply {
  const toUniqueId = uniqueIds(new Set(before.flatMap(toolCallsOf).map(({ id }) => id)));
  const toolCalls = reply.toolCalls.map((call) => withCallId(call, toUniqueId(call.id === '' ? 'call' : call.id)));
  if (toolCalls.every((call, index) => call === reply.toolCalls[index])) return reply;
  const { providerParts: _removed, ...rest } = reply;
  return { ...rest, toolCalls };
}

/**
 * Numbers ids that are already used, from 2. It continues from the last number of an id, so no number is tried twice.
 */
function uniqueIds(used: Set<string>): (base: string) => string {
  const next = new Map<string, number>();
  return (base) => {
    let number = next.get(base) ?? 1;
    const id = (): string => (number === 1 ? base : `${base}-${number}`);
    while (used.has(id())) number += 1;
    next.set(base, number + 1);
    used.add(id());
    return id();
  };
}

function withCallId(call: ToolCall, id: string): ToolCall {
  return id === call.id ? call : { ...call, id };
}

/** A conversation as it is sent: `head` (the summary and the covered instructions), then `rest`. */
export interface ShortenedConversation {
  /** The messages that the head replaces. */
  readonly covered: readonly Message[];
  readonly head: readonly Message[];
  readonly rest: readonly Message[];
}

/** Replaces the covered messages by their summary. A summary is void if its last covered message no longer exists. */
export function replaceBySummary(messages: readonly Message[], summary: MessageSummary | null): ShortenedConversation {
  if (!summary || messages[summary.messages - 1]?.id !== summary.last) return { covered: [], head: [], rest: messages };
  const covered = messages.slice(0, summary.messages);
  const instructions = covered.filter(({ role }) => role === 'system');
  return {
    covered,
    head: [...instructions, { id: SUMMARY_ID, role: 'user', content: `${SUMMARY_HEADING}${summary.text}` }],
    rest: messages.slice(summary.messages),
  };
}

/** Makes a summary that covers the old one's messages and the first `count` messages of the rest. */
export function extendSummary({ covered, rest }: ShortenedConversation, count: number, text: string): MessageSummary {
  const messages = [...covered, ...rest.slice(0, Math.max(0, count))];
  return { messages: messages.length, last: messages.at(-1)?.id ?? null, text };
}

/**
 * Returns the request for a summary of the messages before it. It states a length, because a model that knows the
 * length is seldom cut off.
 */
export function summaryRequest(tokens: number): NewMessage {
  const words = Math.max(1, Math.min(MAX_SUMMARY_WORDS, Math.floor(tokens / TOKENS_PER_WORD)));
  const content =
    'Summarize the conversation above for yourself: facts, decisions, results of tools, open questions. ' +
    `Write the summary only, in ${words} words at most.`;
  return { role: 'user', content };
}

const MAX_SUMMARY_WORDS = 500;

/** An estimate with a margin for most languages. */
const TOKENS_PER_WORD = 2;

/** Token limit of a summary: a quarter of the context, at most `MAX_SUMMARY_TOKENS`. */
export function summaryTokens(contextTokens: number | null): number {
  return contextTokens === null
    ? MAX_SUMMARY_TOKENS
    : Math.max(1, Math.min(MAX_SUMMARY_TOKENS, Math.floor(contextTokens / 4)));
}

/** Far more than the text needs, because the model's thinking counts as output, too. */
const MAX_SUMMARY_TOKENS = 4_000;
