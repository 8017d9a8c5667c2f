import { isJsonList, isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** A chat message as `messages` channels hold it; every model adapter maps to and from this shape. */
export interface Message extends NewMessage {
  readonly id: string;
}

/** A message that a channel is yet to give an id. */
export interface NewMessage extends JsonObject {
  readonly role: (typeof ROLES)[number];
  readonly content: string;
}

export interface ToolCall extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

export function isMessage(value: Json): value is Message {
  return messageProblem(value) === '';
}

/** What is wrong with a value that should be a message; nothing: it is one. */
export function messageProblem(value: Json): string {
  if (!isJsonObject(value)) return 'a message is an object with role and content';
  const broken = FIELDS.find(([name, isRight]) => !isRight(value[name]));
  return broken ? `the ${broken[0]} of a message must be ${broken[2]}` : '';
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isAbsentOr = (isRight: (value: unknown) => boolean) => (value: unknown) => value === undefined || isRight(value);

const FIELDS: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['id', (value) => typeof value === 'string' && value !== '', 'a text that is not empty'],
  ['role', (value) => ROLES.some((role) => role === value), `one of ${ROLES.join(', ')}`],
  ['content', isText, 'text'],
  ['toolCalls', isAbsentOr((value) => Array.isArray(value) && value.every(isToolCall)), 'a list of { id, name, args }'],
  ['toolCallId', isAbsentOr(isText), 'text'],
  ['name', isAbsentOr(isText), 'text'],
];

function isToolCall(value: unknown): value is ToolCall {
  return isJsonObject(value) && isText(value['id']) && isText(value['name']) && value['args'] !== undefined;
}

/** The tool calls that a message asks for. */
export function toolCallsOf(message: NewMessage): readonly ToolCall[] {
  const calls = message['toolCalls'];
  return isJsonList(calls) ? calls.filter(isToolCall) : [];
}
