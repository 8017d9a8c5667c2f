import { isJsonList, isJsonObject } from './json.ts';
import type { Json } from './json.ts';

/**
 * Cuts a text to `maxLength` UTF-16 units. Half a surrogate pair at the end is replaced, because protocol buffers
 * refuse it.
 */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed();
}

/** Cuts a text to about `maxLength` UTF-16 units, and marks the cut by an ellipsis. */
export function abbreviate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${truncate(text, maxLength)}…` : text;
}

/** Formats a number of things, such as `1 file` or `3 files`. @param thing one of them, whose plural ends with an s */
export function formatCount(count: number, thing: string): string {
  return `${count} ${pluralIf(count, thing)}`;
}

/** Returns the word for one thing, or its plural for any other number of them. */
export function pluralIf(count: number, thing: string): string {
  return count === 1 ? thing : `${thing}s`;
}

/** Returns an error and the chain of its causes. */
export function errorChain(thrown: unknown): readonly Error[] {
  return thrown instanceof Error ? [thrown, ...errorChain(thrown.cause)] : [];
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** True for an error with this code, such as one of Node (`ENOENT`) or of a database driver. */
export function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

/**
 * Makes texts unique.
 * @param copyOf changes a wanted text for its n-th use, counted from 1
 * @returns a function that returns the first variant of a wanted text that it has not returned before
 */
export function createDistinctTexts(copyOf: (wanted: string, copy: number) => string): (wanted: string) => string {
  const taken = new Set<string>();
  const nextCopies = new Map<string, number>();
  return (wanted) => {
    let copy = nextCopies.get(wanted) ?? 1;
    while (taken.has(copyOf(wanted, copy))) copy += 1;
    nextCopies.set(wanted, copy + 1);
    const text = copyOf(wanted, copy);
    taken.add(text);
    return text;
  };
}

/** Escapes control characters except line feeds, because untrusted text could move the cursor of a terminal. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** Writes at most `maxLength` characters of a value's JSON. The rest of the value is not read. */
export function shortJson(value: Json, maxLength: number): string {
  let text = '';
  for (const piece of piecesOfJson(value, maxLength)) {
    text += piece;
    if (text.length > maxLength) break;
  }
  return abbreviate(text, maxLength);
}

/** @param maxLength of a text in the value; with its quotes, a longer text exceeds the limit, so it is cut again */
function* piecesOfJson(value: Json, maxLength: number): Generator<string, void> {
  if (isJsonList(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOfJson(item, maxLength);
    }
    yield ']';
  } else if (isJsonObject(value)) {
    yield '{';
    let isFirst = true;
    for (const key in value) {
      yield `${isFirst ? '' : ','}${quoteText(key, maxLength)}:`;
      yield* piecesOfJson(value[key] ?? null, maxLength);
      isFirst = false;
    }
    yield '}';
  } else yield typeof value === 'string' ? quoteText(value, maxLength) : String(value);
}

function quoteText(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength));
}
