import { deepEqual, isJsonList, isJsonObject, toPointer } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';

/** The first difference between two values. `undefined` means that this side has no value. */
export interface ValueDifference {
  /** JSON Pointer to the innermost value that differs. */
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/**
 * Finds the first difference between two values, in the order of the expected one.
 * @returns `null` if they are equal
 */
export function firstDifference(expected: Json, actual: Json): ValueDifference | null {
  return deepEqual(expected, actual) ? null : findInnermost(expected, actual, []);
}

/** @param path of two values that differ */
function findInnermost(expected: Json, actual: Json, path: readonly string[]): ValueDifference {
  const [one, other] = [comparableMembers(expected), comparableMembers(actual)];
  const areAlike = one && other && isJsonList(expected) === isJsonList(actual);
  if (!areAlike) return { path: toPointer(path), expected, actual };
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    const [before, after] = [one.get(key), other.get(key)];
    const inside = [...path, key];
    if (before === undefined || after === undefined)
      return { path: toPointer(inside), expected: before, actual: after };
    if (!deepEqual(before, after)) return findInnermost(before, after, inside);
  }
  return { path: toPointer(path), expected, actual };
}

function comparableMembers(value: Json): ReadonlyMap<string, Json> | null {
  if (isJsonList(value)) return new Map(value.map((item, index) => [String(index), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : null;
}

/** @returns one line, such as `output/euros is 20, expected 30` */
export function describeDifference(what: string, { path, expected, actual }: ValueDifference): string {
  return `${what}${path} is ${toShortText(actual)}, expected ${toShortText(expected)}`;
}

/** In characters. */
const MAX_COMPARED_TEXT = 200;

/** Formats a value for a message, shortened; `undefined` becomes `missing`. */
export function toShortText(value: Json | undefined): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > MAX_COMPARED_TEXT ? `${text.slice(0, MAX_COMPARED_TEXT)}…` : text;
}
