import type { Environment } from '@marcbachmann/cel-js';
import { fromCel, unwrapOptional } from './value.ts';
import { ByteBudget } from './byte-budget.ts';
import { toTemplateText } from '../values/json.ts';
import { parseOutsideJson } from '../values/parse-json.ts';
import type { Json } from '../values/json.ts';
import { priceOfText, spendUnits, unitsLeft } from '../values/meter.ts';
import { matchesPattern } from '../values/regular-expression.ts';
import { registerTime, TIME_FUNCTIONS, TIME_METHODS } from './time.ts';

/**
 * Methods that the CEL library implements differently from docs/reference/expressions.md, or at a cost that is not linear:
 * backtracking regular expressions, UTF-16 indexes, case beyond ASCII, quadratic searches, time zones. Calls of them
 * are renamed to `replacementName` before the type check.
 */
export const REPLACED_METHODS: ReadonlySet<string> = new Set([
  'matches',
  'join',
  'split',
  'contains',
  'lowerAscii',
  'upperAscii',
  'substring',
  'indexOf',
  'lastIndexOf',
  ...TIME_METHODS,
]);

/** Like `REPLACED_METHODS`, but for functions. */
export const REPLACED_FUNCTIONS: ReadonlySet<string> = new Set(TIME_FUNCTIONS);

/** The name under which this file registers its own version of a method. */
export const replacementName = (method: string): string => `${method}_`;

/** Registers the functions that Holdfast adds to standard CEL (docs/reference/expressions.md). */
export function registerFunctions(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  add('string.matches_(string): bool', matchesInCel);
  add('matches(string, string): bool', matchesInCel);
  add('list.join_(): string', (list: unknown[]) => joinTexts(list, ''));
  add('list.join_(string): string', joinTexts);
  add('string.split_(string): list<string>', (text: string, separator: string) => splitMetered(text, separator));
  add('string.split_(string, int): list<string>', splitSome);
  add('string.contains_(string): bool', (text: string, wanted: string) => indexOfText(text, wanted) >= 0);
  add('list.last(): dyn', (list: unknown[]) => list.at(-1) ?? null);
  add('coalesce(dyn, dyn): dyn', (a: unknown, b: unknown) => unwrapOptional(a) ?? b);
  add('json(dyn): string', writeJson);
  add('parseJson(string): dyn', parseJsonInCel);
  add('string.lowerAscii_(): string', (text: string) => mapRuns(text, /[A-Z]+/g, (run) => run.toLowerCase()));
  add('string.upperAscii_(): string', (text: string) => mapRuns(text, /[a-z]+/g, (run) => run.toUpperCase()));
  add('string.charAt(dyn): string', (text: string, at: unknown) => characterAt(codePoints(text), readIndex(at)));
  add('string.substring_(dyn): string', (text: string, from: unknown) =>
    sliceCharacters(codePoints(text), readIndex(from)),
  );
  add('string.substring_(dyn, dyn): string', (text: string, from: unknown, to: unknown) =>
    sliceCharacters(codePoints(text), readIndex(from), readIndex(to)),
  );
  add('string.replace(string, string): string', (text: string, wanted: string, by: string) =>
    replaceInText(text, wanted, by, -1),
  );
  add('string.replace(string, string, dyn): string', replaceSome);
  registerSearch(environment);
  registerTime(environment, replacementName);
}

function registerSearch(environment: Environment): void {
  const methods = { indexOf: indexOfText, lastIndexOf: lastIndexOfText };
  for (const [name, search] of Object.entries(methods)) {
    const start = name === 'indexOf' ? 0 : Number.POSITIVE_INFINITY;
    const handler = (text: string, wanted: string, from?: unknown): bigint => {
      const points = codePoints(text);
      const unitsFrom = from === undefined ? start : sliceCharacters(points, 0, readIndex(from)).length;
      const units = search(text, wanted, unitsFrom);
      return BigInt(units < 0 ? -1 : codePoints(text.slice(0, units)).length);
    };
    environment.registerFunction(`string.${name}_(string): int`, handler, { async: false });
    environment.registerFunction(`string.${name}_(string, dyn): int`, handler, { async: false });
  }
}

/**
 * A local wrapper, because the CEL library adds a member to a handler, and exported functions are frozen inside a
 * workflow.
 */
function matchesInCel(text: string, pattern: string): boolean {
  return matchesPattern(text, pattern);
}

function joinTexts(list: unknown[], separator: string): string {
  const items = new ByteBudget('A list to join');
  const made = new ByteBudget('A joined text');
  const texts: string[] = [];
  for (const item of list) {
    const text = toTemplateText(fromCel(item, items));
    made.takeText(text);
    if (texts.length > 0) made.takeText(separator);
    texts.push(text);
  }
  items.measure();
  made.measure();
  return texts.join(separator);
}

/** Splits a text into at most as many parts as the meter allows. */
function splitMetered(text: string, separator: string): string[] {
  const most = Math.min(unitsLeft() + 1, text.length + 2);
  const parts = splitText(text, separator, most);
  spendUnits(parts.length);
  return parts;
}

function splitSome(...[text, separator, limit]: [string, string, bigint]): string[] {
  const parts = splitMetered(text, separator);
  const most = Number(limit);
  if (most < 0 || parts.length <= most) return parts;
  return most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function writeJson(value: unknown): string {
  const budget = new ByteBudget('A value to write as JSON');
  const json = fromCel(value, budget);
  budget.measure();
  const text = JSON.stringify(json);
  spendUnits(priceOfText(text));
  return text;
}

function parseJsonInCel(text: string): Json {
  spendUnits(text.length);
  return parseOutsideJson(text);
}

function mapRuns(text: string, run: RegExp, map: (run: string) => string): string {
  return text.replaceAll(run, (found) => {
    spendUnits(2);
    return map(found);
  });
}

function replaceSome(...[text, wanted, by, limit]: [string, string, string, unknown]): string {
  return replaceInText(text, wanted, by, readInteger(limit));
}

/** Replaces occurrences of `wanted`; a negative limit replaces all of them. */
function replaceInText(text: string, wanted: string, by: string, limit: number): string {
  const parts = splitMetered(text, wanted);
  const replaced = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  const length = text.length + replaced * by.length;
  new ByteBudget('A text with replacements').takeLength(length);
  return [parts.slice(0, replaced + 1).join(by), ...parts.slice(replaced + 1)].join(wanted);
}

/** Returns the characters of a text. CEL counts Unicode code points, JavaScript counts UTF-16 units. */
function codePoints(text: string): string | readonly string[] {
  if (!/[\uD800-\uDFFF]/.test(text)) return text;
  spendUnits(2 * text.length);
  return Array.from(text);
}

function sliceCharacters(points: string | readonly string[], from: number, to: number = points.length): string {
  if (from > to || to > points.length)
    throw new RangeError(`index out of range: ${from} to ${to} of ${points.length} characters`);
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}

function characterAt(points: string | readonly string[], at: number): string {
  return at === points.length ? '' : sliceCharacters(points, at, at + 1);
}

function readIndex(value: unknown): number {
  const index = readInteger(value);
  if (index < 0) throw new RangeError(`index out of range: ${index}`);
  return index;
}

function readInteger(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number))
    throw new TypeError(`expected a whole number, got ${typeof number === 'number' ? number : typeof number}`);
  return number;
}

/* Text search in linear time. The search of the platform is quadratic for repetitive texts. */

/** Characters that this search passes for one unit of the meter. */
const SEARCHED_CHARACTERS_PER_UNIT = 8;

/** The platform's search compares at most this many characters at each position. */
const MAX_NATIVE_LENGTH = 8;

/** Like `text.indexOf(wanted, from)`. */
export function indexOfText(text: string, wanted: string, from = 0): number {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.indexOf(wanted, from);
  for (const at of findOccurrences(text, wanted)) if (at >= from) return at;
  return -1;
}

/** Like `text.lastIndexOf(wanted, from)`. */
export function lastIndexOfText(text: string, wanted: string, from = Number.POSITIVE_INFINITY): number {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.lastIndexOf(wanted, from);
  let last = -1;
  for (const at of findOccurrences(text, wanted)) if (at <= from) last = at;
  return last;
}

/** Like `text.split(wanted, limit)`, but an empty text splits into code points, as CEL counts characters. */
export function splitText(text: string, wanted: string, limit: number): string[] {
  if (wanted === '') return Array.from(codePoints(text)).slice(0, limit);
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.split(wanted, limit);
  const parts: string[] = [];
  let start = 0;
  for (const at of findOccurrences(text, wanted)) {
    if (at < start) continue;
    parts.push(text.slice(start, at));
    start = at + wanted.length;
    if (parts.length >= limit) return parts;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Yields all positions of a text in a text, including overlapping ones, by the method of Knuth, Morris and Pratt. */
function* findOccurrences(text: string, wanted: string): Generator<number, void> {
  spendUnits(Math.ceil((text.length + wanted.length) / SEARCHED_CHARACTERS_PER_UNIT));
  const table = prefixTable(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = table[matched - 1] ?? 0;
    if (text.charCodeAt(at) === wanted.charCodeAt(matched)) matched += 1;
    if (matched < wanted.length) continue;
    yield at + 1 - matched;
    matched = table[matched - 1] ?? 0;
  }
}

/** Returns for each prefix of a text the length of its longest proper prefix that is also its suffix. */
function prefixTable(wanted: string): Int32Array {
  const table = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (length > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(length)) length = table[length - 1] ?? 0;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(length)) length += 1;
    table[at] = length;
  }
  return table;
}
