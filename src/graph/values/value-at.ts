import { isJsonList, isJsonObject, own } from './json.ts';
import type { Json } from './json.ts';

/** The keys and indexes that lead to a part of a value. */
export type Path = readonly (string | number)[];

/** Returns the part of a value at a path; `undefined` if there is none. */
export function valueAt(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((found, part) => {
    if (isJsonList(found)) return found[Number(part)];
    return isJsonObject(found) ? own(found, String(part)) : undefined;
  }, value);
}
