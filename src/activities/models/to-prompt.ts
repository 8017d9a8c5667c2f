import type { LanguageModelV3FilePart, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { isJsonObject, createDistinctTexts } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { isFilePart, contentParts, textOf, toolCallsOf } from '../../graph/definition/index.ts';
import type { FilePart, Message, MessageContent, ToolCall } from '../../graph/definition/index.ts';
import type { ModelSettings, GenerateContext, ModelRequest } from './model.ts';
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
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  target: PromptTarget,
): LanguageModelV3Prompt {
  const calls = createCallIds();
  const converted = messages.flatMap((message) => CONVERSIONS[message.role](message, target, calls));
  const all =
    system === null || isBlank(system) ? converted : [{ role: 'system' as const, content: system }, ...converted];
  const inOrder = PROVIDER_TRAITS[target.settings.provider].systemFirst
    ? [...all.filter(({ role }) => role === 'system'), ...all.filter(({ role }) => role !== 'system')]
    : all;
  return joinAnswers(withUserFirst(inOrder));
}

/*
 * Providers refuse blank texts, and some refuse conversations that do not begin with a user. A blank part is left out; a
 * message with nothing else becomes a stand-in, so that users and models still take turns.
 */
const EMPTY_MESSAGE = '(empty message)';
const EMPTY_RESULT = '(empty result)';
const CONVERSATION_CONTINUES = '(The conversation continues.)';

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function withUserFirst(messages: readonly LanguageModelV3Message[]): readonly LanguageModelV3Message[] {
  const at = messages.findIndex(({ role }) => role !== 'system');
  if (messages[at]?.role === 'user') return messages;
  const begin = at < 0 ? messages.length : at;
  const user = { role: 'user' as const, content: [{ type: 'text' as const, text: CONVERSATION_CONTINUES }] };
  return [...messages.slice(0, begin), user, ...messages.slice(begin)];
}

type Conversion = (message: Message, target: PromptTarget, callIds: CallIds) => LanguageModelV3Message[];

const CONVERSIONS: Readonly<Record<Message['role'], Conversion>> = {
  system: ({ content }) => {
    const text = textOf(content);
    return isBlank(text) ? [] : [{ role: 'system', content: text }];
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
      ...textParts(textWithNotes(message.content)),
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
            output: { type: 'text', value: orStandIn(textOf(message.content), EMPTY_RESULT) },
          },
        ],
      },
    ];
  },
};

function saidParts(content: MessageContent): ReturnType<typeof contentParts> {
  const said = contentParts(content).filter((part) => isFilePart(part) || !isBlank(part.text));
  return said.length > 0 ? said : [{ type: 'text', text: EMPTY_MESSAGE }];
}

function orStandIn(text: string, standIn: string): string {
  return isBlank(text) ? standIn : text;
}

function toFile(part: FilePart, files: LoadedFiles): LanguageModelV3FilePart {
  const data = files.get(part);
  if (!data) throw new TypeError('A file of the prompt was not loaded');
  const { mediaType, name } = part;
  return { type: 'file', data, mediaType, ...(typeof name === 'string' && { filename: name }) };
}

/** The text of an assistant's message. Most providers accept no files of assistants, so a note replaces each file. */
function textWithNotes(content: MessageContent): string {
  const texts = contentParts(content).map((part) => (isFilePart(part) ? `[Shown: ${part.mediaType}]` : part.text));
  return texts.join('\n');
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
  return isBlank(content) ? [] : [{ type: 'text', text: content }];
}

/** A tool call as it appears in one request. */
export interface NamedCall {
  /** In a spelling that every provider accepts. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
}

/** Ids of the tool calls in one request, assigned in the order of its messages. */
export interface CallIds {
  /** Assigns a call an id that is unique in the request. */
  open(call: ToolCall): string;
  /**
   * Finds the call that an answer belongs to: the first unanswered one with this id. @returns `null` if there is none
   */
  close(id: string): NamedCall | null;
}

/** Messages of people or graphs may repeat an id; providers refuse such a request. */
export function createCallIds(): CallIds {
  const give = createDistinctTexts((id, copy) => toProviderCallId(copy === 1 ? id : `${id}#${copy}`));
  const opened = new Map<string, Opened>();
  return {
    open({ id, name }) {
      const call = { id: give(id), name };
      const same = opened.get(id);
      if (same) same.calls.push(call);
      else opened.set(id, { calls: [call], answered: 0 });
      return call.id;
    },
    close(id) {
      const same = opened.get(id);
      return same?.calls[same.answered++] ?? null;
    },
  };
}

/** The calls with one id. */
interface Opened {
  readonly calls: NamedCall[];
  answered: number;
}

/** The bytes of files, by the parts that name them. */
export type LoadedFiles = ReadonlyMap<FilePart, Uint8Array>;

/** A request with the files that go with it. */
export type LoadedRequest = ModelRequest & { readonly files: LoadedFiles };

/** The files in users' messages. */
export function filesIn(messages: readonly Message[]): readonly FilePart[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content !== 'string' ? content.filter(isFilePart) : [],
  );
}

/** Reads the files of the users' messages sequentially, so that the total limit holds. @throws CallError */
export async function loadFiles(
  messages: readonly Message[],
  readFile: GenerateContext['readFile'],
): Promise<LoadedFiles> {
  const files = new Map<FilePart, Uint8Array>();
  for (const part of filesIn(messages)) files.set(part, await readFile(part));
  return files;
}
