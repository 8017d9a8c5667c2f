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

const address = (baseUrl: string | undefined): { baseURL?: string } =>
  baseUrl === undefined ? {} : { baseURL: baseUrl };

/** One adapter of the AI SDK for each provider. */
export const providers: Readonly<Record<ModelSettings['provider'], (access: Access) => LanguageModelV3>> = {
  openai: ({ model, apiKey, baseUrl, fetch }) => createOpenAI({ apiKey, fetch, ...address(baseUrl) })(model),
  anthropic: ({ model, apiKey, baseUrl, fetch }) => createAnthropic({ apiKey, fetch, ...address(baseUrl) })(model),
  google: ({ model, apiKey, baseUrl, fetch }) =>
    createGoogleGenerativeAI({ apiKey, fetch, ...address(baseUrl) })(model),
  'openai-compatible': ({ model, apiKey, baseUrl, fetch }) =>
    createOpenAICompatible({
      name: 'openai-compatible',
      apiKey,
      fetch,
      baseURL: baseUrl ?? '',
      supportsStructuredOutputs: true,
    }).languageModel(model),
};
