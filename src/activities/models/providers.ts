import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ProviderName } from '../model-providers.ts';
import { chatCompletions } from './wire/chat-completions.ts';
import { claudeMessages } from './wire/claude-messages.ts';
import { geminiContent } from './wire/gemini-content.ts';
import { openaiResponses } from './wire/openai-responses.ts';
import type { WireFormat } from './wire/wire-format.ts';

/** Settings of an adapter. The address is explicit, because adapters read it from the environment otherwise. */
export interface AdapterSettings {
  readonly model: string;
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
}

/** An AI SDK adapter for each provider. */
export const PROVIDER_ADAPTERS: Readonly<Record<ProviderName, (access: AdapterSettings) => LanguageModelV3>> = {
  /** The Responses API: chat completions lose a model's reasoning between tool calls. */
  openai: ({ model, ...access }) => createOpenAI(access).responses(model),
  anthropic: ({ model, ...access }) => createAnthropic(access)(model),
  google: ({ model, ...access }) => createGoogleGenerativeAI(access)(model),
  'openai-compatible': ({ model, ...access }) =>
    createOpenAICompatible({
      ...access,
      name: 'openai-compatible',
      supportsStructuredOutputs: true,
      includeUsage: true,
    }).languageModel(model),
};

/** The form of each provider's answers. */
export const WIRE_FORMATS: Readonly<Record<ProviderName, WireFormat>> = {
  openai: openaiResponses,
  anthropic: claudeMessages,
  google: geminiContent,
  'openai-compatible': chatCompletions,
};
