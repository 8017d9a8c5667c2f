import type { ToolEntry } from '../definition/catalog.ts';
import { MEMORY_TOOLS } from '../definition/memory-tools.ts';
import { answeredFilesOf, contentParts, toolCallsOf } from '../definition/message.ts';
import type { Message, MessageContent } from '../definition/message.ts';
import { TOKENS_OF_FILES, TOKENS_PER_MESSAGE } from '../definition/token-estimate.ts';
import type { ModelCallRequest } from '../run/effect.ts';
import { jsonSize } from '../values/json-size.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/**
 * Estimates the tokens of a request and its offered tools, to reserve budgets before the call. Latin text has about
 * four characters per token, other scripts one or more tokens per character.
 * Decisions of a run depend on this estimate, so recorded histories fix it. `activities/context` fits requests to a
 * model's context by a separate estimate, which may be slower, better and newer.
 */
export function estimateRequest(
  { system, messages, output, tools, offers = {} }: ModelCallRequest,
  known: Readonly<Record<string, ToolEntry>>,
): number {
  const schemaTokens = output === null ? 0 : tokensOfJson(output);
  const offered = tools.flatMap((name) => own(offers, name) ?? own(MEMORY_TOOLS, name) ?? own(known, name) ?? []);
  return sumOf([
    tokensOfText(system ?? ''),
    schemaTokens,
    ...offered.map(tokensOfTool),
    ...messages.map(tokensOfMessage),
  ]);
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}

function tokensOfJson(value: Json): number {
  return Math.ceil(jsonSize(value) / CHARACTERS_PER_TOKEN);
}

const CHARACTERS_PER_TOKEN = 4;

function tokensOfTool({ description, parameters }: Pick<ToolEntry, 'description' | 'parameters'>): number {
  return TOKENS_PER_MESSAGE + tokensOfText(description) + tokensOfJson(parameters);
}

function tokensOfMessage(message: Message): number {
  const calls = toolCallsOf(message);
  const callTokens = calls.length === 0 ? 0 : tokensOfJson([...calls]);
  const fileTokens = sumOf(answeredFilesOf(message).map(({ type }) => TOKENS_OF_FILES[type]));
  const contentTokens = Math.max(tokensOfContent(message.content), tokensOfProviderParts(message));
  return TOKENS_PER_MESSAGE + contentTokens + callTokens + fileTokens;
}

/** The parts that the provider needs back, such as encrypted reasoning, may be longer than the content. */
function tokensOfProviderParts({ providerParts }: Message): number {
  return isJsonObject(providerParts) ? tokensOfJson(providerParts['parts'] ?? []) : 0;
}

function tokensOfContent(content: MessageContent): number {
  return sumOf(
    contentParts(content).map((part) => (part.type === 'text' ? tokensOfText(part.text) : TOKENS_OF_FILES[part.type])),
  );
}

function tokensOfText(text: string): number {
  let latin = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < FIRST_NON_LATIN) latin++;
  return Math.ceil(latin / CHARACTERS_PER_TOKEN) + (text.length - latin);
}

/** The first code point that counts as non-Latin: Greek (Unicode 16, Blocks). */
const FIRST_NON_LATIN = 0x370;
