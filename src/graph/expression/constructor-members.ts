import { isJsonList, isJsonObject } from '../json.ts';
import type { Json } from '../json.ts';

/** Whether an object inside a value has a member named `constructor`: the CEL library would take that for its type. */
export function hasConstructorMember(value: Json): boolean {
  if (isJsonList(value)) return value.some(hasConstructorMember);
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructorMember);
}

/** The value with maps in place of its objects, whose members the library never takes for anything but data. */
export function toMaps(value: Json): unknown {
  if (isJsonList(value)) return value.map(toMaps);
  if (!isJsonObject(value)) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, toMaps(member)]));
}
