import type { JSONSchema7 } from '@ai-sdk/provider';
import type { Json, JsonObject, JsonSchema } from '../../graph/values/index.ts';
import { isJsonList, isJsonObject, mapValues } from '../../graph/values/index.ts';

/** Keywords that providers refuse at the top of a tool's parameters. */
const REFUSED_AT_THE_TOP: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'anyOf',
  'const',
  'else',
  'enum',
  'if',
  'not',
  'oneOf',
  'then',
]);

/**
 * Converts a tool's parameters to an object schema, which every provider accepts. `note` describes the rest to the
 * model in words. Arguments are checked against the original schema anyway.
 */
export function toToolSchema(schema: JsonSchema): { readonly schema: JSONSchema7; readonly note: string } {
  if (typeof schema === 'boolean') return { schema: { type: 'object', properties: {} }, note: '' };
  const kept = Object.entries(schema).filter(([keyword]) => !REFUSED_AT_THE_TOP.has(keyword));
  const isWhole = kept.length === Object.keys(schema).length;
  return {
    schema: { properties: {}, ...withoutBooleanSchemas(Object.fromEntries(kept)), type: 'object' },
    note: isWhole ? '' : `The arguments must fit this JSON Schema: ${JSON.stringify(schema)}`,
  };
}

type Conversion = (value: Json) => Json;

const convertOne: Conversion = (value) =>
  typeof value === 'boolean' ? (value ? {} : { not: {} }) : isJsonObject(value) ? withoutBooleanSchemas(value) : value;
const convertEach: Conversion = (value) => (isJsonList(value) ? value.map(convertOne) : convertOne(value));
const convertMembers: Conversion = (value) => (isJsonObject(value) ? mapValues(value, convertOne) : value);

/** Keywords that contain schemas. `additionalProperties` is not listed: all providers accept a boolean there. */
const HOLDING_SCHEMAS: ReadonlyMap<string, Conversion> = new Map([
  ['$defs', convertMembers],
  ['allOf', convertEach],
  ['anyOf', convertEach],
  ['contains', convertOne],
  ['definitions', convertMembers],
  ['items', convertEach],
  ['not', convertOne],
  ['oneOf', convertEach],
  ['patternProperties', convertMembers],
  ['prefixItems', convertEach],
  ['properties', convertMembers],
]);

/** Replaces schemas `true` and `false` within a schema by equivalent objects. */
function withoutBooleanSchemas(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, HOLDING_SCHEMAS.get(keyword)?.(value) ?? value]),
  );
}
