import type { LanguageModelV3FilePart, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { isJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { isFilePart, partsOf, textOf, toolCallsOf } from '../../graph/definition/index.ts';
import type { FilePart, Message, MessageContent } from '../../graph/definition/index.ts';
import type { LoadedFiles } from './load-files.ts';
import type { ModelSettings } from './model.ts';
import { createCallIds } from './call-ids.ts';
import type { CallIds } from './call-ids.ts';
import { withProviderParts } from './provider-parts.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import { toProviderCallId } from './tool-names.ts';
import type { ToolNames } from './tool-names.ts';

/** The model that receives the messages. */
export interface PromptTarget {
  readonly settings: Pick<ModelSettings, 'provider' | 'model'>;
  readonly toolNames: ToolNames;
  /** The bytes of the users' files. */
  readonly files: LoadedFiles;
}

/** Converts a request's messages for the AI SDK's adapters. */
export function toPrompt(
  { system, messages }: { readonly system: string | null; readonly messages: readonly Message[] },
  target: PromptTarget,
): LanguageModelV3Prompt {
  const calls = createCallIds();
  const converted = messages.flatMap((message) => CONVERSIONS[message.role](message, target, calls));
  const all =
    system === null || system === '' ? converted : [{ role: 'system' as const, content: system }, ...converted];
  const inOrder = PROVIDER_TRAITS[target.settings.provider].systemFirst
    ? [...all.filter(({ role }) => role === 'system'), ...all.filter(({ role }) => role !== 'system')]
    : all;
  return joinAnswers(inOrder);
}

type Conversion = (message: Message, target: PromptTarget, callIds: CallIds) => LanguageModelV3Message[];

const CONVERSIONS: Readonly<Record<Message['role'], Conversion>> = {
  system: ({ content }) => {
    const text = textOf(content);
    return text === '' ? [] : [{ role: 'system', content: text }];
  },
  user: ({ content }, { files }) => [
    {
      role: 'user',
      content: saidParts(content).map((part) =>
        isFilePart(part) ? toFile(part, files) : { type: 'text', text: part.text },
      ),
    },
  ],
  assistant: (message, target, callIds) => {
    const calls = toolCallsOf(message).map((call) => ({
      type: 'tool-call' as const,
      toolCallId: callIds.open(call),
      toolName: target.toolNames.toProvider(call.name),
      input: toArguments(call.args),
    }));
    const content = withProviderParts(message, target.settings, calls) ?? [
      ...textParts(shownIn(message.content)),
      ...calls,
    ];
    return content.every(({ type }) => type === 'reasoning') ? [] : [{ role: 'assistant', content }];
  },
  tool: (message, { toolNames }, callIds) => {
    const answered = textIn(message['toolCallId']);
    const { id, name } = callIds.close(answered) ?? {
      id: toProviderCallId(answered),
      name: textIn(message['name']),
    };
    return [
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: id,
            toolName: toolNames.toProvider(name),
            output: { type: 'text', value: textOf(message.content) },
          },
        ],
      },
    ];
  },
};

/** Some providers refuse a text without characters beside other parts. */
function saidParts(content: MessageContent): ReturnType<typeof partsOf> {
  const parts = partsOf(content);
  const said = parts.filter((part) => isFilePart(part) || part.text !== '');
  return said.length > 0 ? said : parts.slice(0, 1);
}

function toFile(part: FilePart, files: LoadedFiles): LanguageModelV3FilePart {
  const data = files.get(part);
  if (!data) throw new TypeError('A file of the prompt was not loaded');
  const { mediaType, name } = part;
  return { type: 'file', data, mediaType, ...(typeof name === 'string' && { filename: name }) };
}

/** What an assistant has said. Most providers take no files of it, so the model is told that there were some. */
function shownIn(content: MessageContent): string {
  const told = partsOf(content).map((part) => (isFilePart(part) ? `[Shown: ${part.mediaType}]` : part.text));
  return told.join('\n');
}

/** Joins the answers to one message's calls: Google expects them in one message. */
function joinAnswers(messages: readonly LanguageModelV3Message[]): LanguageModelV3Prompt {
  const joined: LanguageModelV3Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
    else joined.push(message);
  }
  return joined;
}

/** Providers accept only objects, so other arguments of a model are wrapped. */
function toArguments(args: Json): Json {
  return isJsonObject(args) ? args : { arguments: args };
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textParts(content: string): { type: 'text'; text: string }[] {
  return content === '' ? [] : [{ type: 'text', text: content }];
}
