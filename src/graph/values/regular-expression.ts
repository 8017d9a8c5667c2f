import { RE2JS } from 're2js';
import { createMemo } from './collections.ts';
import { spendUnits } from './meter.ts';

/** Limits of one pattern: its characters, the instructions of its program, and the units for compiling it. */
const MAX_PATTERN_LENGTH = 1_000;
const MAX_PROGRAM = 5_000;
const MAX_PRICE = 1_000_000;

/** A pattern in RE2 syntax, which matches in time linear in the text. */
export interface Pattern {
  /** True if the pattern matches anywhere in a text. */
  matches(text: string): boolean;
}

/**
 * Compiles a pattern of a definition. Equal patterns share one program.
 * @throws Error with the reason when the text is not an RE2 pattern, or too large
 */
export function compilePattern(pattern: string): Pattern {
  chargeForCompiling(pattern);
  return knownPatterns(pattern, () => toLinearPattern(RE2JS.compile(pattern)));
}

/** True if a text is a pattern that `compilePattern` takes. */
export function isLinearPattern(pattern: string): boolean {
  try {
    compilePattern(pattern);
    return true;
  } catch {
    return false;
  }
}

/**
 * True if the pattern matches anywhere in the text. The pattern may come from data, so only the last one is memoized; a
 * loop over texts uses the same one each time.
 * @throws as `compilePattern`
 */
export function matchesPattern(text: string, pattern: string): boolean {
  chargeForCompiling(pattern);
  if (latestPattern?.source !== pattern)
    latestPattern = { source: pattern, pattern: toLinearPattern(RE2JS.compile(pattern)) };
  return latestPattern.pattern.matches(text);
}

/** Sizes count characters. A program takes about a thousand times the memory of its pattern. */
const knownPatterns = createMemo<Pattern>({ maxEntries: 1_000, maxSize: 20_000 });

let latestPattern: { readonly source: string; readonly pattern: Pattern } | null = null;

/** Charges the same price for a memoized pattern, because processes have different ones memoized. */
function chargeForCompiling(pattern: string): void {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new RangeError(`A pattern has at most ${MAX_PATTERN_LENGTH} characters, not ${pattern.length}`);
  const { size, price } = estimatePattern(pattern);
  if (size > MAX_PROGRAM)
    throw new RangeError(`A pattern takes at most ${MAX_PROGRAM} instructions, not about ${size}`);
  if (price > MAX_PRICE) throw new RangeError('The pattern has too many classes of characters beyond ASCII');
  spendUnits(price);
}

function toLinearPattern(program: RE2JS): Pattern {
  const size = program.programSize();
  return {
    matches: (text) => {
      spendUnits(1 + text.length * size);
      return program.matcher(text).find();
    },
  };
}

/** The elements of a character class: properties, named classes, escapes, any other character. */
const ELEMENT = /\\[pP]\{[^}]*\}|\\[pP][^]|\[:[^\]]*\]|\\x\{[^}]*\}|\\x[^]{2}|\\[0-7]{1,3}|\\[^]|[^]/gu;

const PROPERTY = /^\\[pP]/;
const NAMED_CLASS = /^(?:\\[dDsSwW]|\[:)/;

/** In units. The table of a property has hundreds of ranges, and as many more for the other case of its characters. */
const PER_PROPERTY = 2_000;
const PER_PROPERTY_IN_ANY_CASE = 5_000;
const PER_NAMED_IN_ANY_CASE = 300;
const PER_RANGE = 20;
/** If case is ignored, each character of a range is looked up. */
const RANGE_CHARACTERS_PER_UNIT = 2;
/** The last character that has another case. */
const LAST_WITH_CASES = 0x1_e9_43;

/**
 * Estimates the price of compiling a character class, or one character.
 * @param token its text in a pattern; a class with its brackets
 * @returns units of the meter
 */
function priceOfClass(token: string, ignoresCase: boolean): number {
  const elements = token.match(ELEMENT) ?? [];
  return elements.reduce((sum, element, at) => {
    if (PROPERTY.test(element)) return sum + (ignoresCase ? PER_PROPERTY_IN_ANY_CASE : PER_PROPERTY);
    if (ignoresCase && NAMED_CLASS.test(element)) return sum + PER_NAMED_IN_ANY_CASE;
    const from = element === '-' ? elements[at - 1] : undefined;
    const to = element === '-' ? elements[at + 1] : undefined;
    const width = from === undefined || to === undefined ? 1 : rangeWidth(codePointOf(from), codePointOf(to));
    return sum + PER_RANGE + (ignoresCase ? Math.ceil(width / RANGE_CHARACTERS_PER_UNIT) : 0);
  }, 0);
}

function rangeWidth(from: number, to: number): number {
  return Math.max(1, Math.min(to, LAST_WITH_CASES) - from);
}

/** Returns the code point of an element. Escapes other than by number represent ASCII characters. */
function codePointOf(element: string): number {
  if (element.startsWith('\\x')) return Number.parseInt(element.replaceAll(/[^0-9a-fA-F]/g, ''), 16) || 0;
  if (/^\\[0-7]/.test(element)) return Number.parseInt(element.slice(1), 8);
  return element.codePointAt(element.startsWith('\\') ? 1 : 0) ?? 0;
}

/*
 * Limits the program of a regular expression before it is compiled. Repeats multiply, so a short pattern may represent
 * millions of instructions.
 */

interface PatternGroup {
  /** The number of instructions of the group so far. */
  size: number;
  /** The number of instructions of its last part, which a repeat multiplies. */
  last: number;
}

/** Quoted text, escapes, classes, openings of groups with flags or names, repeats, any other character. */
const PATTERN_TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\x\{[^}]*\}|\\[pP]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:[^\]]*\]|\\[^]|[^\]\\])*\]|\(\?(?:P?<[^>]*>|[a-zA-Z-]*[:)])|\{(\d+(?:,\d*)?)\}|[^]/gu;

/** The cost of a pattern: `size` of its program in instructions, `price` of compiling it in units of the meter. */
export interface PatternCost {
  readonly size: number;
  readonly price: number;
}

const PER_INSTRUCTION = 50;

/** Estimates the cost of a pattern in RE2 syntax; the real cost is never higher. */
export function estimatePattern(pattern: string): PatternCost {
  const open: PatternGroup[] = [{ size: 1, last: 0 }];
  const tokens = [...pattern.matchAll(PATTERN_TOKEN)];
  for (const [token, counts] of tokens) readPatternToken(open, token, counts);
  const size = open.reduce((sum, group) => sum + group.size, 0);
  const ignoresCase = IGNORES_CASE.test(pattern);
  const classes = tokens.reduce(
    (sum, [token]) => sum + (CHARACTER_CLASS.test(token) ? priceOfClass(token, ignoresCase) : 0),
    0,
  );
  return { size, price: size * PER_INSTRUCTION + classes };
}

function readPatternToken(open: PatternGroup[], token: string, counts: string | undefined): void {
  const group = open.at(-1);
  if (!group) return;
  if (token === ')') closeGroup(open);
  else if (token.startsWith('(') && !token.endsWith(')')) open.push({ size: 2, last: 0 });
  else if (counts !== undefined) addRepeat(group, counts.split(','));
  else if (OPERATORS.has(token)) group.size += 2;
  else addInstructions(group, token.startsWith('\\Q') ? token.length : 1);
}

const OPERATORS: ReadonlySet<string> = new Set(['*', '+', '?', '|']);

const IGNORES_CASE = /\(\?[a-zA-Z]*i/;

/** Classes in brackets, and properties. */
const CHARACTER_CLASS = /^(?:\[|\\[pP])/;

function addInstructions(group: PatternGroup, size: number): void {
  group.size += size;
  group.last = size;
}

function closeGroup(open: PatternGroup[]): void {
  const closed = open.pop();
  const outer = open.at(-1);
  if (closed && outer) addInstructions(outer, closed.size);
}

/** Adds a repeat. Optional repetitions take twice the instructions, because each may be left out. */
function addRepeat(group: PatternGroup, counts: readonly string[]): void {
  const times = Math.max(...counts.map(Number)) * (counts.length > 1 ? 2 : 1);
  const more = group.last * (times + 1);
  group.size += more;
  group.last += more;
}
