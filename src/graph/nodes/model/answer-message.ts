import type { ModelReply } from '../../effect.ts';
import type { NewMessage } from '../../message.ts';

/** A model's reply as a message of the conversation. */
export function toMessage({ text, toolCalls, providerParts }: ModelReply): NewMessage {
  return {
    role: 'assistant',
    content: text,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(providerParts && { providerParts }),
  };
}
