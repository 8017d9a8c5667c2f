import type { Environment } from '@marcbachmann/cel-js';
import { toJson } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spend } from './meter.ts';
import { matchesPattern } from '../values/regular-expression.ts';
import { toText } from '../values/text.ts';
import { fromCel, unwrap } from './value.ts';

/**
 * Methods that the CEL library does unlike the specification: backtracking regular expressions, UTF-16 indexes, case
 * beyond ASCII, lists of text only. Calls get `replacementName` before the check.
 */
export const REPLACED_METHODS: ReadonlySet<string> = new Set([
  'matches',
  'join',
  'lowerAscii',
  'upperAscii',
  'substring',
  'indexOf',
  'lastIndexOf',
]);

/** The name under which this file registers its own version of a method. */
export const replacementName = (method: string): string => `${method}_`;

/** Registers the functions that the specification adds to standard CEL. */
export function registerFunctions(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  add('string.matches_(string): bool', matches);
  add('matches(string, string): bool', matches);
  add('list.join_(): string', (list: unknown[]) => join(list, ''));
  add('list.join_(string): string', join);
  add('list.last(): dyn', (list: unknown[]) => list.at(-1) ?? null);
  add('coalesce(dyn, dyn): dyn', (a: unknown, b: unknown) => unwrap(a) ?? b);
  add('json(dyn): string', (value: unknown) => JSON.stringify(fromCel(value)));
  add('parseJson(string): dyn', parseJson);
  add('string.lowerAscii_(): string', (text: string) => text.replaceAll(/[A-Z]+/g, (match) => match.toLowerCase()));
  add('string.upperAscii_(): string', (text: string) => text.replaceAll(/[a-z]+/g, (match) => match.toUpperCase()));
  add('string.charAt(dyn): string', (text: string, at: unknown) => charAt(codePoints(text), toIndex(at)));
  add('string.substring_(dyn): string', (text: string, from: unknown) => slice(codePoints(text), toIndex(from)));
  add('string.substring_(dyn, dyn): string', (text: string, from: unknown, to: unknown) =>
    slice(codePoints(text), toIndex(from), toIndex(to)),
  );
  add('string.replace(string, string): string', replaceAll);
  add('string.replace(string, string, dyn): string', replaceSome);
  registerSearch(environment);
}

function registerSearch(environment: Environment): void {
  const methods = {
    indexOf: (text: string, wanted: string, from: number) => text.indexOf(wanted, from),
    lastIndexOf: (text: string, wanted: string, from: number) => text.lastIndexOf(wanted, from),
  };
  for (const [name, search] of Object.entries(methods)) {
    const start = name === 'indexOf' ? 0 : Number.POSITIVE_INFINITY;
    const handler = (text: string, wanted: string, from?: unknown): bigint => {
      const points = codePoints(text);
      const unitsFrom = from === undefined ? start : slice(points, 0, toIndex(from)).length;
      const units = search(text, wanted, unitsFrom);
      return BigInt(units < 0 ? -1 : codePoints(text.slice(0, units)).length);
    };
    environment.registerFunction(`string.${name}_(string): int`, handler, { async: false });
    environment.registerFunction(`string.${name}_(string, dyn): int`, handler, { async: false });
  }
}

function matches(text: string, pattern: string): boolean {
  spend(Math.ceil((text.length * pattern.length) / 16));
  return matchesPattern(text, pattern);
}

function join(list: unknown[], separator: string): string {
  return list.map((item) => toText(fromCel(item))).join(separator);
}

function parseJson(text: string): Json {
  spend(text.length);
  return toJson(JSON.parse(text));
}

function replaceAll(text: string, wanted: string, by: string): string {
  return replaceParts(text.split(wanted), { wanted, by, limit: -1 });
}

function replaceSome(...[text, wanted, by, limit]: [string, string, string, unknown]): string {
  return replaceParts(text.split(wanted), { wanted, by, limit: toInteger(limit) });
}

/** Joins the parts between occurrences of `wanted`. A negative limit replaces all of them. */
function replaceParts(
  parts: readonly string[],
  { wanted, by, limit }: { wanted: string; by: string; limit: number },
): string {
  const replaced = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  spend(parts.length * (1 + by.length));
  return [parts.slice(0, replaced + 1).join(by), ...parts.slice(replaced + 1)].join(wanted);
}

/** The characters of a text. CEL counts Unicode code points, JavaScript UTF-16 units. */
function codePoints(text: string): string | readonly string[] {
  return /[\uD800-\uDFFF]/.test(text) ? Array.from(text) : text;
}

function slice(points: string | readonly string[], from: number, to: number = points.length): string {
  if (from > to || to > points.length)
    throw new RangeError(`index out of range: ${from} to ${to} of ${points.length} characters`);
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}

function charAt(points: string | readonly string[], at: number): string {
  return at === points.length ? '' : slice(points, at, at + 1);
}

function toIndex(value: unknown): number {
  const index = toInteger(value);
  if (index < 0) throw new RangeError(`index out of range: ${index}`);
  return index;
}

function toInteger(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number))
    throw new TypeError(`expected a whole number, got ${toText(fromCel(value))}`);
  return number;
}
