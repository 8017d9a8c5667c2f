import { mapValues, own } from '../../graph/values/index.ts';
import type { ProviderName } from '../model-providers.ts';

/** Counts the tokens of a text for a model. */
export type TokenCounter = (text: string) => number;

/**
 * Estimates the tokens of a text by its characters, for a model whose tokenizer is not available. Measured on OpenAI's
 * tokenizers and rounded up, because others split finer.
 *
 * Budgets have an estimate of their own in `graph/superstep`: recorded histories pin that one, this one may improve.
 */
export const estimateTokens: TokenCounter = (text) => {
  let tokens = 0;
  let word = { length: 0, hasDigit: false };
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    word = isLetter(code) || isDigit(code) ? extendWord(word, code) : { length: 0, hasDigit: false };
    tokens += isReadable(word) ? tokensOfCharacter(code) : IN_GIBBERISH;
  }
  return Math.ceil(tokens);
};

/** Consecutive letters and digits. */
interface WordShape {
  readonly length: number;
  readonly hasDigit: boolean;
}

function extendWord({ length, hasDigit }: WordShape, code: number): WordShape {
  return { length: length + 1, hasDigit: hasDigit || isDigit(code) };
}

/** Longer words, and ones with digits, are keys, hashes or Base64, which are in no vocabulary. */
function isReadable({ length, hasDigit }: WordShape): boolean {
  return length <= LONGEST_WORD && !hasDigit;
}

const LONGEST_WORD = 16;
const IN_GIBBERISH = 0.8;
const PUNCTUATION = 0.42;
const LATIN_LETTER = 0.27;

/** Tokens per character, by the last code point of its range. */
const COSTS: readonly (readonly [last: number, cost: number])[] = [
  [0x024f, 1.5], // Latin letters with marks
  [0x052f, 0.8], // Greek, Cyrillic
  [0x0fff, 1.2], // Hebrew, Arabic, the alphabets of India, Thai
  [0x2fff, 2], // rarer alphabets, signs
  [0xffff, 1.3], // Chinese, Japanese, Korean
  [0x10ffff, 3], // emoji
];

function tokensOfCharacter(code: number): number {
  if (code > 0x7f) return COSTS.find(([last]) => code <= last)?.[1] ?? 1;
  return isLetter(code) || code === SPACE ? LATIN_LETTER : PUNCTUATION;
}

const SPACE = 0x20;

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Loads the tokenizer of an OpenAI model. Unknown models get the current one. */
export async function loadOpenAiCounter(model: string): Promise<TokenCounter> {
  const { countTokens } = OLDER_MODELS.test(model)
    ? await import('gpt-tokenizer/encoding/cl100k_base')
    : await import('gpt-tokenizer/encoding/o200k_base');
  return (text) => {
    let tokens = 0;
    for (let start = 0; start < text.length; start += PIECE)
      tokens += countTokens(text.slice(start, start + PIECE), AS_PLAIN_TEXT);
    return tokens;
  };
}

/** Models before `gpt-4o`, and their fine-tuned variants. */
const OLDER_MODELS = /^(ft:)?gpt-(3\.5|4)(?![\w.])/;

/** In characters: the tokenizer takes quadratic time for text without spaces. Each split adds at most one token. */
const PIECE = 2_000;

/** Texts such as `<|endoftext|>` count as plain text; by default the tokenizer throws on them. */
const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/** The token limit of a model and its counter. */
export interface ModelMeasure {
  /** Tokens of a request and its answer together; `null` if unknown. */
  readonly contextWindow: number | null;
  /** Loads the counter at its first use: a tokenizer takes some megabytes. */
  readonly loadCounter: () => Promise<TokenCounter>;
}

/** The fields of a configured model that its measure depends on. */
interface MeasuredModel {
  readonly provider?: ProviderName;
  readonly model?: string;
  readonly contextWindow?: number | undefined;
  readonly tokenCounter?: string | undefined;
}

/** The measure of a model that is not configured. */
export const UNKNOWN_MEASURE: ModelMeasure = { contextWindow: null, loadCounter: async () => estimateTokens };

/** Loads the counter for a model of a provider. */
const COUNTERS: Readonly<Record<ProviderName, (model: string) => Promise<TokenCounter>>> = {
  openai: loadOpenAiCounter,
  'openai-compatible': UNKNOWN_MEASURE.loadCounter,
  anthropic: UNKNOWN_MEASURE.loadCounter,
  google: UNKNOWN_MEASURE.loadCounter,
};

/**
 * Measures of configured models. Counters: the one that a model names, else OpenAI's tokenizer for its models, else an
 * estimate.
 */
export function measureModels(
  models: Readonly<Record<string, MeasuredModel>>,
  counters: Readonly<Record<string, TokenCounter>>,
): Readonly<Record<string, ModelMeasure>> {
  return mapValues(models, ({ provider, model = '', contextWindow = null, tokenCounter = '' }) => {
    const named = own(counters, tokenCounter);
    if (named) return { contextWindow, loadCounter: async () => named };
    const loadCounter = provider ? COUNTERS[provider] : UNKNOWN_MEASURE.loadCounter;
    return { contextWindow, loadCounter: async () => await loadCounter(model) };
  });
}
