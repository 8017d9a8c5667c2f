/** A model that makes vectors of texts: those of texts that mean alike point alike. */
export interface Embedder {
  /** Names the model and the length of its vectors. Only vectors of one name can be compared. */
  readonly name: string;
  /** What is less like a query is not found by it: a cosine, from -1 to 1. */
  readonly minSimilarity: number;
  /**
   * Makes a vector of each text, in their order.
   * @param texts at most `MAX_TEXTS` of them
   * @throws TextsRefusedError if these texts are at fault; VectorsUnusableError if the setting is; another error if it may
   *   work later
   */
  embed(texts: readonly string[]): Promise<readonly Vector[]>;
}

export type Vector = readonly number[];

/** The model takes none of these texts, or one of them is too much for it. */
export class TextsRefusedError extends Error {}

/** The model answers what can't be kept, such as vectors of another length: the next answer costs as much, and is the same. */
export class VectorsUnusableError extends Error {}

/** The most texts of one request. */
export const MAX_TEXTS = 32;

/** The most of a text that a model reads. No tokenizer makes more tokens than bytes, and most models take 8,191 tokens. */
export const MAX_TEXT_BYTES = 8_000;

/** Cuts a text to what a model reads, between two characters. */
export function toEmbeddedText(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_TEXT_BYTES));
  return new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true });
}
