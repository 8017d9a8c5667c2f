import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelCallRequest } from '../../graph/effect.ts';
import { isJsonObject } from '../../graph/json.ts';
import { toolCallsOf } from '../../graph/message.ts';
import type { Message } from '../../graph/message.ts';

/** A request's messages in the form that the providers of the AI SDK take. */
export function toPrompt({ system, messages }: Pick<ModelCallRequest, 'system' | 'messages'>): LanguageModelV3Prompt {
  const names = new Map(messages.flatMap(toolCallsOf).map(({ id, name }) => [id, name]));
  const converted = messages.map((message) => toProviderMessage(message, names));
  return system === null ? converted : [{ role: 'system', content: system }, ...converted];
}

function toProviderMessage(message: Message, toolNames: ReadonlyMap<string, string>): LanguageModelV3Message {
  const { role, content } = message;
  switch (role) {
    case 'system':
      return { role, content };
    case 'user':
      return { role, content: [{ type: 'text', text: content }] };
    case 'assistant':
      return {
        role,
        content: [
          ...textParts(content),
          ...toolCallsOf(message).map(({ id, name, args }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input: args,
          })),
        ],
      };
    case 'tool': {
      const toolCallId =
        isJsonObject(message) && typeof message['toolCallId'] === 'string' ? message['toolCallId'] : '';
      return {
        role,
        content: [
          {
            type: 'tool-result',
            toolCallId,
            toolName: toolNames.get(toolCallId) ?? 'unknown',
            output: { type: 'text', value: content },
          },
        ],
      };
    }
  }
}

function textParts(content: string): { type: 'text'; text: string }[] {
  return content === '' ? [] : [{ type: 'text', text: content }];
}
