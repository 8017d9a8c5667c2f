import type { ModelFields } from '../../definition/definition.ts';
import { isMessage, toolCallsOf } from '../../definition/message.ts';
import type { Message, NewMessage, ToolCall } from '../../definition/message.ts';
import type { Bindings } from '../../expression/expression.ts';
import type { ModelReply } from '../../run/effect.ts';
import { isJsonList, isJsonObject, own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { toText } from '../../values/text.ts';
import { field } from '../node-settings.ts';

/** What a model is told before anything has been said in the task itself. */
export interface ConversationStart {
  readonly system: string | null;
  readonly messages: readonly Message[];
}

/** Reads the conversation that a node begins with: a prompt, or a channel's messages. */
export function compileConversationStart(node: Pick<ModelFields, 'system' | 'prompt' | 'messages'>) {
  const system = node.system === undefined ? null : field('system', node.system, '');
  const prompt = node.prompt === undefined ? null : field('prompt', node.prompt, '');
  return (bindings: Bindings): ConversationStart => ({
    system: system && toText(system.fill(bindings)),
    messages: prompt
      ? [{ id: 'prompt', role: 'user', content: toText(prompt.fill(bindings)) }]
      : messagesIn(bindings.state, node.messages),
  });
}

/** The messages that a channel holds. */
export function messagesIn(state: Json | undefined, channel: string | undefined): readonly Message[] {
  const value = channel !== undefined && isJsonObject(state) ? own(state, channel) : undefined;
  return isJsonList(value) ? value.filter(isMessage) : [];
}

/** A model's reply as a message of the conversation. */
export function toMessage({ text, toolCalls, providerParts }: ModelReply): NewMessage {
  return {
    role: 'assistant',
    content: text,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(providerParts && { providerParts }),
  };
}

/**
 * Providers give calls ids that may be empty, or have been there before; an answer must name one call only. A reply whose
 * ids had to change is no longer what the provider knows, so its own parts go.
 */
export function withUniqueIds(reply: ModelReply, before: readonly NewMessage[]): ModelReply {
  const used = new Set(before.flatMap(toolCallsOf).map(({ id }) => id));
  const toolCalls = reply.toolCalls.map((call) => withUniqueId(call, used));
  if (toolCalls.every((call, at) => call === reply.toolCalls[at])) return reply;
  const { providerParts: _gone, ...rest } = reply;
  return { ...rest, toolCalls };
}

function withUniqueId(call: ToolCall, used: Set<string>): ToolCall {
  const wanted = call.id === '' ? 'call' : call.id;
  let id = wanted;
  for (let number = 2; used.has(id); number++) id = `${wanted}-${number}`;
  used.add(id);
  return id === call.id ? call : { ...call, id };
}
