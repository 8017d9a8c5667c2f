import type { EmbeddingProviderName } from '../model-providers.ts';

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
