import { isMembers } from './fields-of.ts';
import type { Schema } from './fields-of.ts';

/** The values that people write over, by their types. */
const BLANKS: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  ['string', ''],
  ['number', 0],
  ['integer', 0],
  ['boolean', false],
  ['array', []],
]);

/** Makes a value to write over: an object with the members that a schema names, blank or as the schema says they begin. */
export function skeletonOf(schema: Schema): unknown {
  if (!isMembers(schema)) return null;
  const { type, properties, default: first, const: only, enum: options } = schema;
  if (first !== undefined) return first;
  if (only !== undefined) return only;
  if (Array.isArray(options)) return options[0];
  if (!isMembers(properties)) return type === 'object' ? {} : (BLANKS.get(type) ?? null);
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, skeletonOf(member)]));
}
