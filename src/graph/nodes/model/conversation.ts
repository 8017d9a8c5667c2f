import type { ModelFields } from '../../definition/node-types/model-fields.ts';
import { isMessage, toolCallsOf } from '../../definition/message.ts';
import type { Message, NewMessage, ToolCall } from '../../definition/message.ts';
import type { Bindings } from '../../expression/expression.ts';
import type { ModelReply } from '../../run/effect.ts';
import { PROMPT } from '../../run/model-turn.ts';
import { isJsonList, isJsonObject, own, toText } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { field } from '../node-settings.ts';

/** The beginning of a conversation: all that precedes the task's own messages. */
export interface ConversationStart {
  readonly system: string | null;
  readonly messages: readonly Message[];
}

/** Compiles the beginning of a node's conversations: a prompt, or the messages of a channel. */
export function compileConversationStart(
  node: Pick<ModelFields, 'system' | 'prompt' | 'messages'>,
): (bindings: Bindings) => ConversationStart {
  const system = node.system === undefined ? null : field('system', node.system, '');
  const prompt = node.prompt === undefined ? null : field('prompt', node.prompt, '');
  return (bindings) => ({
    system: system && toText(system.fill(bindings)),
    messages: prompt
      ? [{ id: PROMPT, role: 'user', content: toText(prompt.fill(bindings)) }]
      : messagesIn(bindings.state, node.messages),
  });
}

/** The messages of a channel; none where the channel is missing or no list. */
export function messagesIn(state: Json | undefined, channel: string | undefined): readonly Message[] {
  const value = channel !== undefined && isJsonObject(state) ? own(state, channel) : undefined;
  return isJsonList(value) ? value.filter(isMessage) : [];
}

/** Removes requests for tools, which a model may make where it must not, and the provider's own form of them. */
export function withoutCalls(reply: ModelReply): ModelReply {
  if (reply.toolCalls.length === 0) return reply;
  const { providerParts: _removed, ...rest } = reply;
  return { ...rest, toolCalls: [] };
}

/** A model's reply as a message of the conversation. */
export function toAssistantMessage({ text, toolCalls, providerParts }: ModelReply): NewMessage {
  return {
    role: 'assistant',
    content: text,
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
  const toolCalls = reply.toolCalls.map((call) => withId(call, toUniqueId(call.id === '' ? 'call' : call.id)));
  if (toolCalls.every((call, index) => call === reply.toolCalls[index])) return reply;
  const { providerParts: _removed, ...rest } = reply;
  return { ...rest, toolCalls };
}

/** Numbers ids that are used, each from 2. A number that was taken once is not tried again. */
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

function withId(call: ToolCall, id: string): ToolCall {
  return id === call.id ? call : { ...call, id };
}
