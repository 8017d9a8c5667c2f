import { RE2JS } from 're2js';
import { createMemo } from './memo.ts';

const patterns = createMemo<RE2JS>(1_000);

/**
 * Compiles a pattern in RE2 syntax, which matches in linear time.
 * @throws Error with the parser's reason when the pattern is none
 */
export function compilePattern(pattern: string): RE2JS {
  return patterns(pattern, () => RE2JS.compile(pattern));
}

/** True when the pattern occurs anywhere in the text. */
export function matchesPattern(text: string, pattern: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}
