import { isJsonObject, isJsonList } from '../values/json.ts';
import type { JsonObject, Json } from '../values/json.ts';
import { contentProblem } from './message-content.ts';
import type { MessageContent } from './message-content.ts';

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
  const broken = FIELDS.find(([name, isRight]) => !isRight(value[name]));
  if (broken) return `the ${broken[0]} of a message must be ${broken[2]}`;
  return contentProblem(
    value['content'],
    WITH_FILES.some((role) => role === value['role']),
  );
}

/** The roles whose messages may hold files. Those of assistants are for readers, and sent to no model. */
const WITH_FILES: readonly MessageRole[] = ['user', 'assistant'];

const isText = (value: unknown): boolean => typeof value === 'string';
const isAbsentOr = (isRight: (value: unknown) => boolean) => (value: unknown) => value === undefined || isRight(value);

const FIELDS: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['id', (value) => typeof value === 'string' && value !== '', 'a text that is not empty'],
  ['role', (value) => MESSAGE_ROLES.some((role) => role === value), `one of ${MESSAGE_ROLES.join(', ')}`],
  ['toolCalls', isAbsentOr((value) => Array.isArray(value) && value.every(isToolCall)), 'a list of { id, name, args }'],
  ['toolCallId', isAbsentOr(isText), 'text'],
  ['name', isAbsentOr(isText), 'text'],
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

export const HEADING = 'Summary of the conversation before this point, which was left out:\n';

/** True if `shorten` made the message to replace others. The id alone is no proof: other messages may have it. */
export function isSummary({ id, content }: Message): boolean {
  return id === SUMMARY_ID && typeof content === 'string' && content.startsWith(HEADING);
}
