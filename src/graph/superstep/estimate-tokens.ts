import type { ToolEntry } from '../definition/catalog.ts';
import { MEMORY_TOOLS } from '../definition/memory-tools.ts';
import { toolCallsOf } from '../definition/message.ts';
import type { Message } from '../definition/message.ts';
import { partsOf } from '../definition/message-content.ts';
import type { ContentPart, MessageContent } from '../definition/message-content.ts';
import type { ModelCallRequest } from '../run/effect.ts';
import { jsonSize } from '../values/json-size.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/**
 * Estimates the tokens of a request and its offered tools, to reserve budgets before the call. Latin text has about
 * four characters a token, other scripts one or more tokens a character.
 *
 * Decisions of a run depend on it, so histories pin it. `activities/context` fits requests to a model's context by an
 * estimate of its own, which may be slower, better and newer.
 */
export function estimateRequest(
  { system, messages, output, tools, graphTools = {} }: ModelCallRequest,
  known: Readonly<Record<string, ToolEntry>>,
): number {
  const ofSchema = output === null ? 0 : ofJson(output);
  const offered = tools.flatMap((name) => own(graphTools, name) ?? own(MEMORY_TOOLS, name) ?? own(known, name) ?? []);
  return sum([ofText(system ?? ''), ofSchema, ...offered.map(ofTool), ...messages.map(ofMessage)]);
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}

function ofJson(value: Json): number {
  return Math.ceil(jsonSize(value) / CHARACTERS_PER_TOKEN);
}

const CHARACTERS_PER_TOKEN = 4;
const PER_MESSAGE = 4;

function ofTool({ description, parameters }: Pick<ToolEntry, 'description' | 'parameters'>): number {
  return PER_MESSAGE + ofText(description) + ofJson(parameters);
}

function ofMessage(message: Message): number {
  const calls = toolCallsOf(message);
  const ofCalls = calls.length === 0 ? 0 : ofJson([...calls]);
  return PER_MESSAGE + Math.max(ofContent(message.content), ofProviderParts(message)) + ofCalls;
}

/** Parts that the provider needs back, such as encrypted reasoning, may be longer than the content. */
function ofProviderParts({ providerParts }: Message): number {
  return isJsonObject(providerParts) ? ofJson(providerParts['parts'] ?? []) : 0;
}

function ofContent(content: MessageContent): number {
  return sum(partsOf(content).map((part) => (part.type === 'text' ? ofText(part.text) : TOKENS_OF_FILES[part.type])));
}

/** A run does not know how large a file is: a picture takes about that, and a document of a few pages. */
const TOKENS_OF_FILES: Readonly<Record<Exclude<ContentPart['type'], 'text'>, number>> = { image: 1_600, file: 5_000 };

function ofText(text: string): number {
  let latin = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < FIRST_NON_LATIN) latin++;
  return Math.ceil(latin / CHARACTERS_PER_TOKEN) + (text.length - latin);
}

/** The first code point that counts as non-Latin: Greek (Unicode 16, Blocks). */
const FIRST_NON_LATIN = 0x370;
