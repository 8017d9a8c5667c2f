import { spend } from '../values/meter.ts';

/*
 * Searches for a text in a text, in time linear in both: the platform's own search is quadratic for repetitive texts.
 */

/** Characters that the search here passes in one unit. */
const CHARACTERS_PER_UNIT = 8;

/** The platform's search compares at most this many characters at each position. */
const MAX_NATIVE_LENGTH = 8;

/** As `text.indexOf(wanted, from)`. */
export function indexOfText(text: string, wanted: string, from = 0): number {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.indexOf(wanted, from);
  for (const at of occurrences(text, wanted)) if (at >= from) return at;
  return -1;
}

/** As `text.lastIndexOf(wanted, from)`. */
export function lastIndexOfText(text: string, wanted: string, from = Number.POSITIVE_INFINITY): number {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.lastIndexOf(wanted, from);
  let last = -1;
  for (const at of occurrences(text, wanted)) if (at <= from) last = at;
  return last;
}

/** As `text.split(wanted, limit)`. */
export function splitText(text: string, wanted: string, limit: number): string[] {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.split(wanted, limit);
  const parts: string[] = [];
  let start = 0;
  for (const at of occurrences(text, wanted)) {
    if (at < start) continue;
    parts.push(text.slice(start, at));
    start = at + wanted.length;
    if (parts.length >= limit) return parts;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Yields all positions of a text in a text, also those that overlap, by the method of Knuth, Morris and Pratt. */
function* occurrences(text: string, wanted: string): Generator<number, void> {
  spend(Math.ceil((text.length + wanted.length) / CHARACTERS_PER_UNIT));
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(at) === wanted.charCodeAt(matched)) matched += 1;
    if (matched < wanted.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each beginning of a text: the length of its longest proper beginning that is also its end. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (length > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
