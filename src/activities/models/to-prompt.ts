import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
} from '@ai-sdk/provider';
import { isJsonObject, createDistinctTexts } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { answeredFilesOf, isFilePart, contentParts, textOf, toolCallsOf } from '../../graph/definition/index.ts';
import type { FilePart, Message, MessageContent, ToolCall } from '../../graph/definition/index.ts';
import { canonicalMediaType } from '../files/check-media-type.ts';
import type { LoadedFiles } from './load-files.ts';
import type { ModelSettings, ModelRequest } from './model.ts';
import { withProviderParts } from './provider-parts.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import { toProviderCallId } from './tool-names.ts';
import type { ToolNames } from './tool-names.ts';

/** The model that receives the messages. */
export interface PromptTarget {
  readonly settings: Pick<ModelSettings, 'provider' | 'model'>;
  readonly toolNames: ToolNames;
  readonly files: LoadedFiles;
}

/** Converts a request's messages for the AI SDK's adapters. */
export function toPrompt(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  target: PromptTarget,
): LanguageModelV3Prompt {
  const converted = convertMessages(messages, target);
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

type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart;

/**
 * Converts messages in their order. Most providers take no files in the answers of tools, so a message of the user
 * after all answers to the same calls shows them; it is joined with the next message if that is the user's own.
 */
function convertMessages(messages: readonly Message[], target: PromptTarget): readonly LanguageModelV3Message[] {
  const calls = createCallIds();
  const converted: LanguageModelV3Message[] = [];
  let fileParts: UserPart[] = [];
  for (const message of messages) {
    const next = CONVERSIONS[message.role](message, target, calls);
    if (message.role !== 'tool' && fileParts.length > 0) {
      const [first] = next;
      if (first?.role === 'user') first.content.unshift(...fileParts);
      else converted.push({ role: 'user', content: fileParts });
      fileParts = [];
    }
    converted.push(...next);
    if (message.role === 'tool') fileParts.push(...next.flatMap((answer) => toFileParts(message, answer, target)));
  }
  return fileParts.length > 0 ? [...converted, { role: 'user', content: fileParts }] : converted;
}

/** The files of a tool's message, each after a text that names the call and the file. */
function toFileParts(message: Message, answer: LanguageModelV3Message, { files }: PromptTarget): readonly UserPart[] {
  const [result] = answer.role === 'tool' ? answer.content : [];
  if (result?.type !== 'tool-result') return [];
  const { toolName, toolCallId } = result;
  return answeredFilesOf(message).flatMap((part) =>
    files.get(part)?.kind === 'bytes'
      ? [
          { type: 'text', text: `The tool ${toolName} has answered this file (${part.blob}) in call ${toolCallId}:` },
          toFile(part, files),
        ]
      : [],
  );
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
  tool: (message, { toolNames, files }, callIds) => {
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
            output: { type: 'text', value: orStandIn(resultText(message, files), EMPTY_RESULT) },
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

/** The text of a tool's message, with texts for the files that are left out. */
function resultText(message: Message, files: LoadedFiles): string {
  const standIns = answeredFilesOf(message).flatMap((part) => {
    const file = files.get(part);
    return file?.kind === 'stand-in' ? [file.text] : [];
  });
  return [textOf(message.content), ...standIns].join('\n');
}

function orStandIn(text: string, standIn: string): string {
  return isBlank(text) ? standIn : text;
}

function toFile(part: FilePart, files: LoadedFiles): LanguageModelV3FilePart {
  const file = files.get(part);
  if (file?.kind !== 'bytes') throw new TypeError('A file of the prompt was not loaded');
  const { mediaType, name } = part;
  return {
    type: 'file',
    data: file.bytes,
    mediaType: canonicalMediaType(mediaType),
    ...(typeof name === 'string' && { filename: name }),
  };
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
