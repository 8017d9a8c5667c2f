import { isJsonList } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { valueAt } from '../values/value-at.ts';

/** A name somewhere in the definition. */
export interface Named {
  readonly name: string;
  /** JSON Pointer. */
  readonly path: string;
}

/** One name or a list of them, each with its place. */
export function namesAt(value: Json | undefined, path: string): readonly Named[] {
  if (typeof value === 'string') return [{ name: value, path }];
  if (!isJsonList(value)) return [];
  return value.flatMap((item, index) => (typeof item === 'string' ? [{ name: item, path: `${path}/${index}` }] : []));
}

/** The names in some fields of a node. @param path of the node */
export function namesInFields(
  { fields, path }: { readonly fields: JsonObject; readonly path: string },
  named: readonly string[] = [],
): readonly Named[] {
  return named.flatMap((field) => namesAt(fieldAt(fields, field), `${path}/${field}`));
}

/** @param field a name, or names with `/` between them for a field inside a field */
export function fieldAt(fields: JsonObject, field: string): Json | undefined {
  return valueAt(fields, field.split('/'));
}
