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

type OpenAdapter = (access: AdapterSettings) => Promise<LanguageModelV3>;

/** Opens the AI SDK adapter of each provider, an optional package (`PROVIDER_PACKAGES`). */
export const PROVIDER_ADAPTERS: Readonly<Record<ProviderName, OpenAdapter>> = {
  /** The Responses API: chat completions lose a model's reasoning between tool calls. */
  async openai({ model, ...access }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI(access).responses(model);
  },
  async anthropic({ model, ...access }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(access)(model);
  },
  async google({ model, ...access }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI(access)(model);
  },
  async 'openai-compatible'({ model, ...access }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({
      ...access,
      name: 'openai-compatible',
      supportsStructuredOutputs: true,
      includeUsage: true,
    }).languageModel(model);
  },
};

/** The form of each provider's answers. */
export const WIRE_FORMATS: Readonly<Record<ProviderName, WireFormat>> = {
  openai: openaiResponses,
  anthropic: claudeMessages,
  google: geminiContent,
  'openai-compatible': chatCompletions,
};
