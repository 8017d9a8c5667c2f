import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelSettings } from './model.ts';

/** Settings of an adapter; `baseUrl` replaces the provider's public address. */
interface Access {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * An AI SDK adapter for each provider. Addresses are explicit, because adapters read them from the environment
 * otherwise.
 */
export const providers: Readonly<Record<ModelSettings['provider'], (access: Access) => LanguageModelV3>> = {
  /** The Responses API: chat completions lose a model's reasoning between tool calls. */
  openai: ({ model, baseUrl: baseURL = 'https://api.openai.com/v1', ...access }) =>
    createOpenAI({ ...access, baseURL }).responses(model),
  anthropic: ({ model, baseUrl: baseURL = 'https://api.anthropic.com/v1', ...access }) =>
    createAnthropic({ ...access, baseURL })(model),
  google: ({ model, baseUrl: baseURL = 'https://generativelanguage.googleapis.com/v1beta', ...access }) =>
    createGoogleGenerativeAI({ ...access, baseURL })(model),
  'openai-compatible': ({ model, baseUrl: baseURL = '', ...access }) =>
    createOpenAICompatible({
      ...access,
      baseURL,
      name: 'openai-compatible',
      supportsStructuredOutputs: true,
      includeUsage: true,
    }).languageModel(model),
};
