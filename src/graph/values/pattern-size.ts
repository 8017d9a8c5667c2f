import { priceOfClass } from './class-price.ts';

/*
 * Bounds the program of a regular expression before it is compiled. Repeats multiply, so that a short pattern may
 * stand for millions of instructions.
 */

interface Group {
  /** Instructions of the group so far. */
  size: number;
  /** Instructions of its last part, which a repeat multiplies. */
  last: number;
}

/** Quoted text, escapes, classes, openings of groups with flags or names, repeats, any other character. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\x\{[^}]*\}|\\[pP]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:[^\]]*\]|\\[^]|[^\]\\])*\]|\(\?(?:P?<[^>]*>|[a-zA-Z-]*[:)])|\{(\d+(?:,\d*)?)\}|[^]/gu;

/** The cost of a pattern: `size` of its program in instructions, `price` of compiling it in units of the meter. */
export interface PatternCost {
  readonly size: number;
  readonly price: number;
}

const PER_INSTRUCTION = 50;

/** Estimates the cost of a pattern in RE2 syntax; the real one is not higher. */
export function estimatePattern(pattern: string): PatternCost {
  const open: Group[] = [{ size: 1, last: 0 }];
  const tokens = [...pattern.matchAll(TOKEN)];
  for (const [token, counts] of tokens) readToken(open, token, counts);
  const size = open.reduce((sum, group) => sum + group.size, 0);
  const ignoresCase = IGNORES_CASE.test(pattern);
  const classes = tokens.reduce(
    (sum, [token]) => sum + (IS_CLASS.test(token) ? priceOfClass(token, ignoresCase) : 0),
    0,
  );
  return { size, price: size * PER_INSTRUCTION + classes };
}

function readToken(open: Group[], token: string, counts: string | undefined): void {
  const group = open.at(-1);
  if (!group) return;
  if (token === ')') close(open);
  else if (token.startsWith('(') && !token.endsWith(')')) open.push({ size: 2, last: 0 });
  else if (counts !== undefined) repeat(group, counts.split(','));
  else if (OPERATORS.has(token)) group.size += 2;
  else add(group, token.startsWith('\\Q') ? token.length : 1);
}

const OPERATORS: ReadonlySet<string> = new Set(['*', '+', '?', '|']);

const IGNORES_CASE = /\(\?[a-zA-Z]*i/;

/** Classes in brackets, and properties. */
const IS_CLASS = /^(?:\[|\\[pP])/;

function add(group: Group, size: number): void {
  group.size += size;
  group.last = size;
}

function close(open: Group[]): void {
  const closed = open.pop();
  const outer = open.at(-1);
  if (closed && outer) add(outer, closed.size);
}

/** Repeats of a range take twice the instructions: each may be left out. */
function repeat(group: Group, counts: readonly string[]): void {
  const times = Math.max(...counts.map(Number)) * (counts.length > 1 ? 2 : 1);
  const more = group.last * (times + 1);
  group.size += more;
  group.last += more;
}
