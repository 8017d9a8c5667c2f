import type { TokenCounter } from './token-counter.ts';

/**
 * Estimates the tokens of a text for a model whose tokenizer is not known: by characters, and rather too many than too few.
 * Measured on the tokenizers of OpenAI, with a margin because others cut finer.
 */
export const estimateTokens: TokenCounter = (text) => {
  let tokens = 0;
  let run = { length: 0, hasDigit: false };
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    run = isLetter(code) || isDigit(code) ? longer(run, code) : { length: 0, hasDigit: false };
    tokens += isWord(run) ? costOf(code) : IN_GIBBERISH;
  }
  return Math.ceil(tokens);
};

/** Letters and digits without anything in between, up to a character. */
interface Run {
  readonly length: number;
  readonly hasDigit: boolean;
}

function longer({ length, hasDigit }: Run, code: number): Run {
  return { length: length + 1, hasDigit: hasDigit || isDigit(code) };
}

/** Other runs are keys, hashes, Base64: nothing that a vocabulary holds. */
function isWord({ length, hasDigit }: Run): boolean {
  return length <= LONGEST_WORD && !hasDigit;
}

const LONGEST_WORD = 16;
const IN_GIBBERISH = 0.8;
const PUNCTUATION = 0.42;
const LATIN_LETTER = 0.27;

/** Tokens that a character takes, by the last code point of its range. */
const COSTS: readonly (readonly [last: number, cost: number])[] = [
  [0x024f, 1.5], // Latin letters with marks
  [0x052f, 0.8], // Greek, Cyrillic
  [0x0fff, 1.2], // Hebrew, Arabic, the alphabets of India, Thai
  [0x2fff, 2], // rarer alphabets, and signs
  [0xffff, 1.3], // Chinese, Japanese, Korean
  [0x10ffff, 3], // emoji
];

function costOf(code: number): number {
  if (code > 0x7f) return COSTS.find(([last]) => code <= last)?.[1] ?? 1;
  return isLetter(code) || code === SPACE ? LATIN_LETTER : PUNCTUATION;
}

const SPACE = 0x20;

/** Whether it is an ASCII letter. */
function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
