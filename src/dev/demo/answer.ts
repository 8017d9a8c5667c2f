import { isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/* Readers for fields of the API's answers. @throws TypeError if a field has another type */

export function textIn(value: Json, field: string): string {
  const found = isJsonObject(value) ? value[field] : undefined;
  if (typeof found !== 'string') throw new TypeError(`An answer has no ${field}`);
  return found;
}

export function numberIn(value: Json, field: string): number {
  const found = isJsonObject(value) ? value[field] : undefined;
  if (typeof found !== 'number') throw new TypeError(`An answer has no ${field}`);
  return found;
}

/** A list, empty if the field is missing. */
export function listIn(value: JsonObject, field: string): readonly Json[] {
  const found = value[field];
  return isJsonList(found) ? found : [];
}
