/*
 * Searches for a text in a text, in time linear in both: the platform's own search is quadratic for repetitive texts.
 */

/** The platform's search compares at most this many characters at each position. */
const MAX_NATIVE_LENGTH = 8;

/** As `text.indexOf(wanted, from)`. */
export function indexOfText(text: string, wanted: string, from = 0): number {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.indexOf(wanted, from);
  const next = createFinder(text, wanted);
  return next(from);
}

/** As `text.lastIndexOf(wanted, from)`. */
export function lastIndexOfText(text: string, wanted: string, from = Number.POSITIVE_INFINITY): number {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.lastIndexOf(wanted, from);
  const next = createFinder(text, wanted);
  let last = -1;
  for (let at = next(0); at >= 0 && at <= from; at = next(at + 1)) last = at;
  return last;
}

/** As `text.split(wanted, limit)`. */
export function splitText(text: string, wanted: string, limit: number): string[] {
  if (wanted.length <= MAX_NATIVE_LENGTH) return text.split(wanted, limit);
  const next = createFinder(text, wanted);
  const parts: string[] = [];
  let start = 0;
  for (let at = next(0); at >= 0 && parts.length < limit; at = next(start)) {
    parts.push(text.slice(start, at));
    start = at + wanted.length;
  }
  if (parts.length < limit) parts.push(text.slice(start));
  return parts;
}

/**
 * Prepares a search by the method of Knuth, Morris and Pratt.
 * @returns finds the first occurrence at or after a position; positions must not decrease
 */
function createFinder(text: string, wanted: string): (from: number) => number {
  const borders = bordersOf(wanted);
  let at = 0;
  let matched = 0;
  return (from) => {
    if (from > at - matched) {
      const isPastAll = from >= at;
      matched = isPastAll ? 0 : matched;
      at = isPastAll ? from : at;
      while (at - matched < from) matched = matched === 0 ? 0 : (borders[matched - 1] ?? 0);
    }
    while (at < text.length) {
      while (matched > 0 && (matched === wanted.length || text.charCodeAt(at) !== wanted.charCodeAt(matched)))
        matched = borders[matched - 1] ?? 0;
      if (text.charCodeAt(at) === wanted.charCodeAt(matched)) matched += 1;
      at += 1;
      if (matched === wanted.length) return at - matched;
    }
    return -1;
  };
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
