import type { ModelFields } from '../../definition.ts';
import type { Bindings } from '../../expression.ts';
import { toText } from '../../expression/text.ts';
import { isJsonList, isJsonObject, own } from '../../json.ts';
import type { Json } from '../../json.ts';
import { isMessage } from '../../message.ts';
import type { Message } from '../../message.ts';
import { field } from '../node-scope.ts';

/** What a model is told before anything has been said in the task itself. */
export interface Conversation {
  readonly system: string | null;
  readonly messages: readonly Message[];
}

/** Reads the conversation that a node begins with: a prompt, or a channel's messages. */
export function compileConversation(node: Pick<ModelFields, 'system' | 'prompt' | 'messages'>) {
  const system = node.system === undefined ? null : field('system', node.system, '');
  const prompt = node.prompt === undefined ? null : field('prompt', node.prompt, '');
  return (bindings: Bindings): Conversation => ({
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
