import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelSettings } from './model.ts';

/** How a provider is reached; `baseUrl` replaces its public address. */
interface Access {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/** One adapter of the AI SDK for each provider. Addresses are named, for the adapters would look in the environment. */
export const providers: Readonly<Record<ModelSettings['provider'], (access: Access) => LanguageModelV3>> = {
  /** By the Responses API: chat completions forget what a model has thought between two calls of tools. */
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
