import { deepEqual, isJsonList, isJsonObject, toPointer } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** Where two values part. `undefined`: there is nothing on that side. */
export interface Difference {
  /** JSON Pointer to the innermost place. */
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Finds the first place at which two values differ, by the order of the expected one. @returns `null` if none does */
export function firstDifference(expected: Json, actual: Json): Difference | null {
  return deepEqual(expected, actual) ? null : descend(expected, actual, []);
}

/** @param path leads to two values that differ */
function descend(expected: Json, actual: Json, path: readonly string[]): Difference {
  const [one, other] = [membersOf(expected), membersOf(actual)];
  const areAlike = one && other && isJsonList(expected) === isJsonList(actual);
  if (!areAlike) return { path: toPointer(path), expected, actual };
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    const [before, after] = [one.get(key), other.get(key)];
    const inside = [...path, key];
    if (before === undefined || after === undefined)
      return { path: toPointer(inside), expected: before, actual: after };
    if (!deepEqual(before, after)) return descend(before, after, inside);
  }
  return { path: toPointer(path), expected, actual };
}

function membersOf(value: Json): ReadonlyMap<string, Json> | null {
  if (isJsonList(value)) return new Map(value.map((item, index) => [String(index), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : null;
}
