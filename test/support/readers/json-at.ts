import { isJsonList, isJsonObject, own } from '../../../src/graph/values/json.ts';
import type { Json } from '../../../src/graph/values/json.ts';

/** Returns the part of a value at a JSON Pointer; `undefined` without one. */
export function at(value: Json, pointer: string): Json | undefined {
  const names = pointer.split('/').slice(1);
  return names.reduce<Json | undefined>((part, name) => memberOf(part, unescape(name)), value);
}

/** @throws TypeError if there is no text */
export function textAt(value: Json, pointer: string): string {
  const found = at(value, pointer);
  if (typeof found === 'string') return found;
  throw new TypeError(`There is no text at ${pointer} of ${JSON.stringify(value)}`);
}

/** @throws TypeError if there is no list */
export function listAt(value: Json, pointer: string): readonly Json[] {
  const found = at(value, pointer);
  if (isJsonList(found)) return found;
  throw new TypeError(`There is no list at ${pointer} of ${JSON.stringify(value)}`);
}

function unescape(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (isJsonList(value)) return value[Number(name)];
  return isJsonObject(value) ? own(value, name) : undefined;
}
