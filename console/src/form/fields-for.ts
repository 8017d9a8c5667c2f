import { showsValue } from './draft.ts';
import { fieldsOf, isMembers, jsonField, memberOf } from './fields-of.ts';
import type { Field, FieldKind, Schema } from './fields-of.ts';

/**
 * Gives the fields for a value that a schema describes, so that all of it is shown: what has no field in the schema, or does
 * not fit its own, is written as JSON.
 * @param value `undefined`: there is none yet
 * @returns `null`: all of it is JSON
 */
export function fieldsFor(schema: Schema, value: unknown): readonly Field[] | null {
  const fields = fieldsOf(schema);
  if (fields === null || value === undefined) return fields;
  if (!isMembers(value)) return null;
  const names = new Set(fields.map(({ name }) => name));
  const others = Object.keys(value).filter((name) => !names.has(name));
  return [...fields.map((field) => fitting(field, memberOf(value, field.name))), ...others.map(jsonField)];
}

function fitting(field: Field, value: unknown): Field {
  const kinds: readonly FieldKind[] =
    field.kind === 'text' && field.inputType === 'text' ? ['text', 'long-text'] : [field.kind];
  const found = kinds.map((kind) => ({ ...field, kind })).find((one) => showsValue(one, value));
  return found ?? { ...field, kind: 'json' };
}
