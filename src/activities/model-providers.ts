/** The providers of models that have an adapter. */
export const PROVIDER_NAMES = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The optional packages that models of each provider need: its adapter, and a tokenizer if it has its own. */
export const PROVIDER_PACKAGES: Readonly<Record<ProviderName, readonly [adapter: string, ...others: string[]]>> = {
  openai: ['@ai-sdk/openai', 'gpt-tokenizer'],
  anthropic: ['@ai-sdk/anthropic'],
  google: ['@ai-sdk/google'],
  'openai-compatible': ['@ai-sdk/openai-compatible'],
};

/** The public address of each provider; `null`: each configured model has its own. */
export const PROVIDER_URLS: Readonly<Record<ProviderName, string | null>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': null,
};

/** The providers whose models make vectors of texts. */
export const EMBEDDING_PROVIDER_NAMES = [
  'openai',
  'google',
  'openai-compatible',
] as const satisfies readonly ProviderName[];

export type EmbeddingProviderName = (typeof EMBEDDING_PROVIDER_NAMES)[number];

interface NamedEmbedder {
  readonly provider: EmbeddingProviderName;
  readonly model: string;
  /** The length of its vectors. */
  readonly dimensions: number;
}

/** Names an embedding model. Vectors of models with different names can't be compared. */
export function embedderName({ provider, model, dimensions }: NamedEmbedder): string {
  return `${provider}/${model}/${dimensions}`;
}
