import { RE2JS } from 're2js';

const MAX_MEMO = 1_000;
const memo = new Map<string, RE2JS>();

/**
 * Compiles a pattern in RE2 syntax, which matches in linear time.
 * @throws Error with the parser's reason when the pattern is none
 */
export function compilePattern(pattern: string): RE2JS {
  const known = memo.get(pattern);
  if (known) return known;
  const compiled = RE2JS.compile(pattern);
  if (memo.size >= MAX_MEMO) memo.clear();
  memo.set(pattern, compiled);
  return compiled;
}

/** True when the pattern occurs anywhere in the text. */
export function matchesPattern(text: string, pattern: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}
