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
    word = isLetter(code) || isDigit(code) ? extend(word, code) : { length: 0, hasDigit: false };
    tokens += isReadable(word) ? costOf(code) : IN_GIBBERISH;
  }
  return Math.ceil(tokens);
};

/** Consecutive letters and digits. */
interface Word {
  readonly length: number;
  readonly hasDigit: boolean;
}

function extend({ length, hasDigit }: Word, code: number): Word {
  return { length: length + 1, hasDigit: hasDigit || isDigit(code) };
}

/** Longer words, and ones with digits, are keys, hashes or Base64, which are in no vocabulary. */
function isReadable({ length, hasDigit }: Word): boolean {
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

function costOf(code: number): number {
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
