import { RE2JS } from 're2js';
import { createMemo } from './memo.ts';
import { spend } from './meter.ts';
import { estimatePattern } from './pattern-size.ts';

/** Limits of one pattern: characters, instructions of its program, and units that compiling it may cost. */
const MAX_LENGTH = 1_000;
const MAX_PROGRAM = 5_000;
const MAX_PRICE = 1_000_000;

/** A pattern in RE2 syntax, which matches in time linear in the text. */
export interface Pattern {
  /** True if the pattern matches anywhere in a text. */
  matches(text: string): boolean;
}

/**
 * Compiles a pattern of a definition. Equal patterns share one program.
 * @throws Error with the reason when the text is no RE2 pattern, or one that is too large
 */
export function compilePattern(pattern: string): Pattern {
  chargeForCompiling(pattern);
  return patterns(pattern, () => toPattern(RE2JS.compile(pattern)));
}

/**
 * True if the pattern matches anywhere in the text. Data may have made the pattern, so that only the last one is
 * remembered: a loop over texts has the same one each time.
 * @throws as `compilePattern`
 */
export function matchesPattern(text: string, pattern: string): boolean {
  chargeForCompiling(pattern);
  if (last?.source !== pattern) last = { source: pattern, pattern: toPattern(RE2JS.compile(pattern)) };
  return last.pattern.matches(text);
}

/** Sizes count characters: a program takes some thousand times the memory of its pattern. */
const patterns = createMemo<Pattern>({ maxEntries: 1_000, maxSize: 20_000 });

let last: { readonly source: string; readonly pattern: Pattern } | null = null;

/** The price is the same for a pattern that is remembered, since processes remember different ones. */
function chargeForCompiling(pattern: string): void {
  if (pattern.length > MAX_LENGTH)
    throw new RangeError(`A pattern has at most ${MAX_LENGTH} characters, not ${pattern.length}`);
  const { size, price } = estimatePattern(pattern);
  if (size > MAX_PROGRAM)
    throw new RangeError(`A pattern takes at most ${MAX_PROGRAM} instructions, not about ${size}`);
  if (price > MAX_PRICE) throw new RangeError('The pattern has too many classes of characters beyond ASCII');
  spend(price);
}

function toPattern(program: RE2JS): Pattern {
  const size = program.programSize();
  return {
    matches: (text) => {
      spend(1 + text.length * size);
      return program.matcher(text).find();
    },
  };
}
