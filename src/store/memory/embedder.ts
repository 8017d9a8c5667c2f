/** An embedding model: texts with a similar meaning get similar vectors. */
export interface Embedder {
  /** Identifies the model and the length of its vectors. Only vectors with the same name are comparable. */
  readonly name: string;
  /** The least cosine similarity of a result to a query, from -1 to 1. */
  readonly minSimilarity: number;
  /**
   * Embeds texts.
   * @param texts at most `MAX_TEXTS` texts
   * @returns one vector for each text, in order
   * @throws TextsRefusedError if the texts are the cause; VectorsUnusableError if the configuration is; another error
   * if a later attempt may succeed
   */
  embed(texts: readonly string[]): Promise<readonly EmbeddingVector[]>;
}

export type EmbeddingVector = readonly number[];

/** The model accepts none of these texts, or one of them exceeds its limits. */
export class TextsRefusedError extends Error {}

/**
 * The model's vectors can't be stored, for example because of their length. Repeating the request would cost as much
 * and return the same.
 */
export class VectorsUnusableError extends Error {}

/** The most texts of one request. */
export const MAX_TEXTS = 32;

/**
 * The most bytes of a text that are sent to a model. A text never has more tokens than bytes, and most models accept
 * 8,191 tokens.
 */
export const MAX_TEXT_BYTES = 8_000;

/** Truncates a text to what a model accepts, between two characters. */
export function toEmbeddedText(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_TEXT_BYTES));
  return new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true });
}
