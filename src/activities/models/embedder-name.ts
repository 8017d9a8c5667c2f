import type { EmbeddingProviderName } from '../model-providers.ts';

interface NamedModel {
  readonly provider: EmbeddingProviderName;
  readonly model: string;
  /** The length of its vectors. */
  readonly dimensions: number;
}

/** Names a model of embeddings. Vectors of models of other names can't be compared with its own. */
export function embedderName({ provider, model, dimensions }: NamedModel): string {
  return `${provider}/${model}/${dimensions}`;
}
