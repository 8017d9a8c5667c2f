import { isListOf, isText, orAbsent } from '../values/guards.ts';
import { isJsonObject, isJsonList, own } from '../values/json.ts';
import type { JsonObject, Json } from '../values/json.ts';

/** A chat message in a `messages` channel. Every model adapter maps to and from this shape. */
export interface Message extends NewMessage {
  readonly id: string;
}

/** A message that may have no id yet. The channel adds one. */
export interface NewMessage extends JsonObject {
  readonly role: MessageRole;
  readonly content: MessageContent;
}

export interface ToolCall extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}

export const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

export function isMessage(value: Json): value is Message {
  return messageProblem(value) === '';
}

/** Returns the problem of a value that should be a message; an empty text if it is one. */
export function messageProblem(value: Json): string {
  if (!isJsonObject(value)) return 'a message is an object with role and content';
  const broken = MESSAGE_FIELDS.find(([name, isRight]) => !isRight(value[name]));
  if (broken) return `the ${broken[0]} of a message must be ${broken[2]}`;
  return contentProblem(
    value['content'],
    WITH_FILES.some((role) => role === value['role']),
  );
}

/** The roles whose messages may hold files. Files of assistants are for readers and are not sent to models. */
const WITH_FILES: readonly MessageRole[] = ['user', 'assistant'];

const MESSAGE_FIELDS: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['id', (value) => typeof value === 'string' && value !== '', 'a text that is not empty'],
  ['role', (value) => MESSAGE_ROLES.some((role) => role === value), `one of ${MESSAGE_ROLES.join(', ')}`],
  ['toolCalls', orAbsent(isListOf(isToolCall)), 'a list of { id, name, args }'],
  ['toolCallId', orAbsent(isText), 'text'],
  ['name', orAbsent(isText), 'text'],
];

function isToolCall(value: unknown): value is ToolCall {
  return isJsonObject(value) && isText(value['id']) && isText(value['name']) && value['args'] !== undefined;
}

/** Returns the tool calls of a message. */
export function toolCallsOf(message: NewMessage): readonly ToolCall[] {
  const calls = message['toolCalls'];
  return isJsonList(calls) ? calls.filter(isToolCall) : [];
}

export const SUMMARY_ID = 'summary';

export const SUMMARY_HEADING = 'Summary of the conversation before this point, which was left out:\n';

/**
 * True if `replaceBySummary` made the message to replace others. The id alone proves nothing, because other messages may have
 * it.
 */
export function isSummary({ id, content }: Message): boolean {
  return id === SUMMARY_ID && typeof content === 'string' && content.startsWith(SUMMARY_HEADING);
}

/** The content of a message: a text, or a list of texts and files (docs/files.md). */
export type MessageContent = string | readonly ContentPart[];

export type ContentPart = TextPart | FilePart;

export interface TextPart extends JsonObject {
  readonly type: 'text';
  readonly text: string;
}

/** A picture or another file, perhaps with a `name`. A message holds the location of its bytes, never the bytes. */
export type FilePart = LinkedFile | StoredFilePart;

interface FilePartFields extends JsonObject {
  readonly type: 'image' | 'file';
  /** A media type without parameters, such as `image/png`. */
  readonly mediaType: string;
}

/** A file at an address. */
export interface LinkedFile extends FilePartFields {
  readonly url: string;
}

/** A file that the tenant has stored with `POST /api/blobs`. */
export interface StoredFilePart extends FilePartFields {
  readonly blob: string;
}

/** The location of a file's bytes. */
export type FileSource =
  | { readonly kind: 'blob'; readonly id: string }
  | { readonly kind: 'url'; readonly url: string };

export function sourceOfFile({ blob, url }: FilePart): FileSource {
  return typeof blob === 'string'
    ? { kind: 'blob', id: blob }
    : { kind: 'url', url: typeof url === 'string' ? url : '' };
}

/** Returns the parts of a content; a plain text is one part. */
export function contentParts(content: MessageContent): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function isFilePart(part: ContentPart): part is FilePart {
  return part.type !== 'text';
}

/** True if a value is the part of a stored file, as results of tools contain it. */
export function isStoredFile(value: Json): value is StoredFilePart {
  return isJsonObject(value) && value['type'] !== 'text' && isText(value['blob']) && partProblem(value, true) === null;
}

/** The files that a tool has answered besides the text of its message. */
export function answeredFilesOf({ role, files = null }: NewMessage): readonly StoredFilePart[] {
  return role === 'tool' && isJsonList(files) ? files.filter(isStoredFile) : [];
}

/** The files of a message that models are shown: those of users, and those that tools have answered. */
export function filesForModels(message: NewMessage): readonly FilePart[] {
  const { role, content } = message;
  return role === 'user' ? contentParts(content).filter(isFilePart) : answeredFilesOf(message);
}

/** The text of a content, without its files. */
export function textOf(content: MessageContent): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (isFilePart(part) ? [] : [part.text])).join('\n');
}

/** The maximum of parts of one message. */
const MAX_MESSAGE_PARTS = 100;
const MAX_URL_LENGTH = 2_048;
/** The maximum of characters of a name, of a media type and of the id of a stored file. */
const MAX_MESSAGE_NAME = 255;

/**
 * Finds the problem of a message's content.
 * @param takesFiles false for a role whose messages are only texts
 * @returns the path below the message and what is expected there; an empty text if there is no problem
 */
function contentProblem(content: Json | undefined, takesFiles: boolean): string {
  if (typeof content === 'string') return '';
  if (!isJsonList(content) || content.length === 0 || content.length > MAX_MESSAGE_PARTS)
    return `the content of a message must be text, or a list of 1 to ${MAX_MESSAGE_PARTS} parts`;
  for (const [at, part] of content.entries()) {
    const problem = partProblem(part, takesFiles);
    if (problem) return `/content/${at}${problem.below} of a message must be ${problem.expected}`;
  }
  return '';
}

export function isMessageContent(value: Json): value is MessageContent {
  return contentProblem(value, true) === '';
}

interface PartProblem {
  readonly below: string;
  readonly expected: string;
}

function partProblem(part: Json, takesFiles: boolean): PartProblem | null {
  if (!isJsonObject(part)) return { below: '', expected: 'an object with a type' };
  const { type } = part;
  const kind = typeof type === 'string' ? own(PART_KINDS, type) : undefined;
  if (!kind) return { below: '/type', expected: `one of ${Object.keys(PART_KINDS).join(', ')}` };
  if (kind.isFile && !takesFiles)
    return { below: '', expected: 'a part of the type text: only the user and the assistant have files' };
  const broken = kind.fields.find(([name, isRight]) => !isRight(part[name]));
  if (broken) return { below: `/${broken[0]}`, expected: broken[2] };
  const hasOneSource = (part['url'] === undefined) !== (part['blob'] === undefined);
  return kind.isFile && !hasOneSource ? { below: '', expected: 'a file with either url or blob' } : null;
}

type CheckedField = readonly [name: string, isRight: (value: Json | undefined) => boolean, expected: string];

const isTextOf =
  (least: number, most: number) =>
  (value: unknown): value is string =>
    isText(value) && value.length >= least && value.length <= most;

const matchesText =
  (pattern: RegExp, most: number) =>
  (value: unknown): value is string =>
    isText(value) && value.length <= most && pattern.test(value);

/** RFC 6838, section 4.2, without parameters. */
const MEDIA_TYPE_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i;
const IMAGE_TYPE = /^image\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i;
const HTTP_URL = /^https?:\/\/[^\s/]\S*$/i;

const SOURCE_FIELDS: readonly CheckedField[] = [
  [
    'url',
    orAbsent(matchesText(HTTP_URL, MAX_URL_LENGTH)),
    `an http or https URL of at most ${MAX_URL_LENGTH} characters`,
  ],
  ['blob', orAbsent(isTextOf(1, MAX_MESSAGE_NAME)), 'the id of a stored file'],
  ['name', orAbsent(isTextOf(1, MAX_MESSAGE_NAME)), `text of 1 to ${MAX_MESSAGE_NAME} characters`],
];

interface PartKind {
  readonly isFile: boolean;
  readonly fields: readonly CheckedField[];
}

const PART_KINDS: Readonly<Record<ContentPart['type'], PartKind>> = {
  text: { isFile: false, fields: [['text', isText, 'text']] },
  image: {
    isFile: true,
    fields: [
      ['mediaType', matchesText(IMAGE_TYPE, MAX_MESSAGE_NAME), 'the media type of a picture, such as image/png'],
      ...SOURCE_FIELDS,
    ],
  },
  file: {
    isFile: true,
    fields: [
      ['mediaType', matchesText(MEDIA_TYPE_PATTERN, MAX_MESSAGE_NAME), 'a media type, such as application/pdf'],
      ...SOURCE_FIELDS,
    ],
  },
};
