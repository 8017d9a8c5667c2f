import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { isJsonObject } from '../../graph/json.ts';
import type { Json } from '../../graph/json.ts';
import { toolCallsOf } from '../../graph/message.ts';
import type { Message } from '../../graph/message.ts';
import type { ModelSettings } from './model.ts';
import { withProviderParts } from './provider-parts.ts';
import { toProviderCallId } from './tool-names.ts';
import type { ToolNames } from './tool-names.ts';

/** Whom messages are written for. */
export interface Reader {
  readonly settings: Pick<ModelSettings, 'provider' | 'model'>;
  readonly toolNames: ToolNames;
}

/** Their adapters take system messages in front only. */
const SYSTEM_FIRST: ReadonlySet<ModelSettings['provider']> = new Set(['anthropic', 'google']);

/** A request's messages in the form that the providers of the AI SDK take. */
export function toPrompt(
  { system, messages }: { readonly system: string | null; readonly messages: readonly Message[] },
  reader: Reader,
): LanguageModelV3Prompt {
  const called = new Map(messages.flatMap(toolCallsOf).map(({ id, name }) => [id, name]));
  const converted = messages.flatMap((message) => CONVERSIONS[message.role](message, reader, called));
  const all =
    system === null || system === '' ? converted : [{ role: 'system' as const, content: system }, ...converted];
  const inOrder = SYSTEM_FIRST.has(reader.settings.provider)
    ? [...all.filter(({ role }) => role === 'system'), ...all.filter(({ role }) => role !== 'system')]
    : all;
  return joinAnswers(inOrder);
}

type Conversion = (message: Message, reader: Reader, called: ReadonlyMap<string, string>) => LanguageModelV3Message[];

const CONVERSIONS: Readonly<Record<Message['role'], Conversion>> = {
  system: ({ role: _role, content }) => (content === '' ? [] : [{ role: 'system', content }]),
  user: ({ content }) => [{ role: 'user', content: [{ type: 'text', text: content }] }],
  assistant: (message, reader) => {
    const calls = toolCallsOf(message).map(({ id, name, args }) => ({
      type: 'tool-call' as const,
      toolCallId: toProviderCallId(id),
      toolName: reader.toolNames.toProvider(name),
      input: toArguments(args),
    }));
    const content = withProviderParts(message, reader.settings, calls) ?? [...textParts(message.content), ...calls];
    return content.every(({ type }) => type === 'reasoning') ? [] : [{ role: 'assistant', content }];
  },
  tool: (message, { toolNames }, called) => {
    const id = textOf(message['toolCallId']);
    return [
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: toProviderCallId(id),
            toolName: toolNames.toProvider(called.get(id) ?? textOf(message['name'])),
            output: { type: 'text', value: message.content },
          },
        ],
      },
    ];
  },
};

/** The answers to the calls of one message go together: Google counts them. */
function joinAnswers(messages: readonly LanguageModelV3Message[]): LanguageModelV3Prompt {
  const joined: LanguageModelV3Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
    else joined.push(message);
  }
  return joined;
}

/** Providers take objects. A model that wrote something else sees what it wrote. */
function toArguments(args: Json): Json {
  return isJsonObject(args) ? args : { arguments: args };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textParts(content: string): { type: 'text'; text: string }[] {
  return content === '' ? [] : [{ type: 'text', text: content }];
}
