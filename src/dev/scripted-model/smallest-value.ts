import { isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/**
 * Builds the smallest value that fits a JSON Schema by `const`, `enum`, types, required members, lengths and lower
 * bounds; it ignores patterns and references.
 */
export function smallestValue(schema: Json): Json {
  if (!isJsonObject(schema)) return {};
  const fixed = schema['const'] === undefined ? firstItem(schema['enum']) : schema['const'];
  if (fixed !== undefined) return fixed;
  const alternative = firstItem(schema['anyOf']) ?? firstItem(schema['oneOf']);
  if (alternative !== undefined) return smallestValue(alternative);
  return BY_TYPE[smallestType(schema)]?.(schema) ?? null;
}

const BY_TYPE: Readonly<Record<string, (schema: JsonObject) => Json>> = {
  object: smallestObject,
  array: ({ minItems, items }) => Array.from({ length: smallestCount(minItems) }, () => smallestValue(items ?? {})),
  string: ({ minLength }) => 'x'.repeat(smallestCount(minLength)),
  number: smallestNumber,
  integer: (schema) => Math.ceil(smallestNumber(schema)),
  boolean: () => false,
  null: () => null,
};

/** `null` is the smallest of several types. */
function smallestType({ type, properties, items }: JsonObject): string {
  const types = isJsonList(type) ? type : [type];
  const chosen = types.includes('null') ? 'null' : types[0];
  if (typeof chosen === 'string') return chosen;
  return items !== undefined && properties === undefined ? 'array' : 'object';
}

function smallestObject({ properties, required }: JsonObject): Json {
  const names = isJsonList(required) ? required.map(String) : [];
  const schemas = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(names.map((name) => [name, smallestValue(schemas[name] ?? {})]));
}

function smallestNumber({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(0, maximum) : 0;
}

function smallestCount(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function firstItem(value: Json | undefined): Json | undefined {
  return isJsonList(value) ? value[0] : undefined;
}
