import type { LanguageModelV3Content, LanguageModelV3Message, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ProviderParts } from '../../graph/run/index.ts';
import { isJsonList, isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { textOf, toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import type { ModelSettings } from './model.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';

/*
 * Parts of an answer that a provider needs in later requests: signatures and encrypted reasoning. They are valid only
 * for the model that wrote them, so they name provider and model.
 */

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type AnsweringModel = Pick<ModelSettings, 'provider' | 'model'>;

const OPAQUE = ['phase', 'reasoningEncryptedContent', 'redactedData', 'signature', 'thoughtSignature'];

/** Extracts the parts of an answer. @returns `null` if none has to be sent back */
export function toProviderParts(
  { provider, model }: AnsweringModel,
  content: readonly LanguageModelV3Content[],
): ProviderParts | null {
  const { metadataName, isRepeatedWithCalls } = PROVIDER_TRAITS[provider].reasoning;
  const isRepeated = isRepeatedWithCalls && content.some(({ type }) => type === 'tool-call');
  const parts = content
    .flatMap((part) => toProviderPart(part, metadataName))
    .filter((part) => part['type'] !== 'reasoning' || isOpaquePart(part) || isRepeated);
  return parts.some((part) => isOpaquePart(part) || part['type'] === 'reasoning') ? { provider, model, parts } : null;
}

function toProviderPart(part: LanguageModelV3Content, metadataName: string | null): JsonObject[] {
  if (part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'tool-call') return [];
  const options = metadataToOptions(toJson(part.providerMetadata ?? {}), metadataName);
  return [{ type: part.type, ...(part.type !== 'tool-call' && { text: part.text }), ...(options && { options }) }];
}

function metadataToOptions(metadata: Json, name: string | null): JsonObject | null {
  if (!isJsonObject(metadata) || Object.keys(metadata).length === 0) return null;
  return name === null ? metadata : { [name]: Object.values(metadata)[0] ?? {} };
}

function isOpaquePart({ options }: JsonObject): boolean {
  return (
    isJsonObject(options) &&
    Object.values(options).some(
      (fields) => isJsonObject(fields) && OPAQUE.some((name) => (fields[name] ?? null) !== null),
    )
  );
}

interface PastCall {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Json;
}

/**
 * Restores a past message's content with its provider parts.
 * @param calls its tool calls in the provider's spelling
 * @returns `null` if it has no parts of this model, or was edited since
 */
export function withProviderParts(
  message: Message,
  author: AnsweringModel,
  calls: readonly PastCall[],
): AssistantContent | null {
  const stored = message['providerParts'];
  if (!isJsonObject(stored) || stored['provider'] !== author.provider || !isJsonList(stored['parts'])) return null;
  if (stored['model'] !== undefined && stored['model'] !== author.model) return null;
  const parts = stored['parts'].filter(isJsonObject);
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const count = parts.filter(({ type }) => type === 'tool-call').length;
  if (texts.join('') !== textOf(message.content) || count !== toolCallsOf(message).length) return null;
  const rest = [...calls];
  return parts.flatMap((part) => toAssistantContent(part, rest));
}

function toAssistantContent(part: JsonObject, calls: PastCall[]): AssistantContent {
  const options = isProviderOptions(part['options']) ? { providerOptions: part['options'] } : {};
  if (part['type'] === 'tool-call') return calls.splice(0, 1).map((call) => ({ ...call, ...options }));
  const text = typeof part['text'] === 'string' ? part['text'] : '';
  if (part['type'] === 'reasoning') return [{ type: 'reasoning', text, ...options }];
  // Providers refuse blank texts, but may need what belongs to one.
  const isLeftOut = text === '' || (text.trim() === '' && !('providerOptions' in options));
  return isLeftOut ? [] : [{ type: 'text', text, ...options }];
}

function isProviderOptions(value: Json | undefined): value is SharedV3ProviderOptions & JsonObject {
  return isJsonObject(value) && Object.values(value).every(isJsonObject);
}
