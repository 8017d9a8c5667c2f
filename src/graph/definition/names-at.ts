import { isJsonList } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { valueAt } from '../values/value-at.ts';

/** A name in the definition. */
export interface Named {
  readonly name: string;
  /** JSON Pointer. */
  readonly path: string;
}

/** Returns one name, or a list of names, each with its path. */
export function namesAt(value: Json | undefined, path: string): readonly Named[] {
  if (typeof value === 'string') return [{ name: value, path }];
  if (!isJsonList(value)) return [];
  return value.flatMap((item, index) => (typeof item === 'string' ? [{ name: item, path: `${path}/${index}` }] : []));
}

/** Returns the names in the given fields of a node. @param path of the node */
export function namesInFields(
  { fields, path }: { readonly fields: JsonObject; readonly path: string },
  named: readonly string[] = [],
): readonly Named[] {
  return named.flatMap((field) => namesAt(fieldAt(fields, field), `${path}/${field}`));
}

/** Returns the value of a field. @param field a name, or names joined by `/` for a nested field */
export function fieldAt(fields: JsonObject, field: string): Json | undefined {
  return valueAt(fields, field.split('/'));
}
