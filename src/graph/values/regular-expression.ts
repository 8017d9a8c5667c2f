import { RE2JS } from 're2js';
import { createMemo } from './memo.ts';

const compiledPatterns = createMemo<RE2JS>(1_000);

/**
 * Compiles a pattern in RE2 syntax, which matches in time linear in the text.
 * @throws Error with the parser's reason when the text is no RE2 pattern
 */
export function compilePattern(pattern: string): RE2JS {
  return compiledPatterns(pattern, () => RE2JS.compile(pattern));
}

/** True if the pattern matches anywhere in the text. @throws as `compilePattern` */
export function matchesPattern(text: string, pattern: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}
