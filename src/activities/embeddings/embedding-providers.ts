import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { EmbeddingModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { EmbeddingProviderName } from '../model-providers.ts';
import type { Access } from '../models/providers.ts';

interface EmbeddingProvider {
  readonly open: (access: Access) => EmbeddingModelV3;
  /** Asks for vectors of a length, where the provider can be asked. */
  readonly options: (dimensions: number) => SharedV3ProviderOptions;
}

/** An AI SDK adapter for each provider of embeddings. */
export const embeddingProviders: Readonly<Record<EmbeddingProviderName, EmbeddingProvider>> = {
  openai: {
    open: ({ model, ...access }) => createOpenAI(access).embeddingModel(model),
    options: (dimensions) => ({ openai: { dimensions } }),
  },
  google: {
    open: ({ model, ...access }) => createGoogleGenerativeAI(access).embeddingModel(model),
    options: (outputDimensionality) => ({ google: { outputDimensionality } }),
  },
  'openai-compatible': {
    open: ({ model, ...access }) =>
      createOpenAICompatible({ ...access, name: 'openai-compatible' }).embeddingModel(model),
    // Many servers refuse the option for models with one length.
    options: () => ({}),
  },
};
