import type { JSONSchema7 } from '@ai-sdk/provider';
import { isJsonList, isJsonObject, mapValues } from '../../graph/values/index.ts';
import type { Json, JsonObject, JsonSchema } from '../../graph/values/index.ts';

/* Schemas that providers' JSON modes handle reliably. They refuse some schemas and silently ignore parts of others. */

type ValueCheck = (value: Json) => boolean;

const acceptAnything: ValueCheck = () => true;
const isTextList: ValueCheck = (value) => isJsonList(value) && value.every((item) => typeof item === 'string');
const everyOne: ValueCheck = (value) => isJsonList(value) && value.length > 0 && value.every(isPlainSchema);
const everyNamed: ValueCheck = (value) => isJsonObject(value) && Object.values(value).every(isPlainSchema);

/** Keywords that OpenAI's strict mode supports. */
const STRICT_KEYWORDS: readonly (readonly [string, ValueCheck])[] = [
  ['additionalProperties', (value) => value === false],
  ['anyOf', everyOne],
  ['const', (value) => typeof value === 'string'],
  ['description', acceptAnything],
  ['enum', isTextList],
  ['items', (value) => isPlainSchema(value)],
  ['properties', everyNamed],
  ['required', isTextList],
  ['title', acceptAnything],
  ['type', (value) => typeof value === 'string' || isTextList(value)],
];

/** Keywords that only narrow a value. A mode that ignores them does no harm, since answers are checked. */
const NARROWING_KEYWORDS = [
  '$schema',
  'default',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'multipleOf',
  'pattern',
  'uniqueItems',
];

const KEYWORD_CHECKS: ReadonlyMap<string, ValueCheck> = new Map([
  ...STRICT_KEYWORDS,
  ...NARROWING_KEYWORDS.map((keyword): [string, ValueCheck] => [keyword, acceptAnything]),
]);

/** True if a schema describes every value in it: no open objects, references or lists without `items`. */
export function isPlainSchema(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    Object.entries(schema).every(([keyword, value]) => KEYWORD_CHECKS.get(keyword)?.(value) ?? false) &&
    ['type', 'enum', 'const', 'anyOf'].some((keyword) => keyword in schema) &&
    (!allowsType(schema['type'], 'object') || Object.keys(schema['properties'] ?? {}).length > 0) &&
    (!allowsType(schema['type'], 'array') || 'items' in schema)
  );
}

/** True if OpenAI's strict mode accepts a plain schema: objects require all properties and allow no others. */
export function isStrictSchema(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    Object.keys(schema).every((keyword) => STRICT_KEYWORDS.some(([strict]) => strict === keyword)) &&
    (!allowsType(schema['type'], 'object') || isClosedObject(schema)) &&
    innerSchemas(schema).every(isStrictSchema)
  );
}

function isClosedObject({ properties, required, additionalProperties }: JsonObject): boolean {
  const names = Object.keys(properties ?? {});
  return additionalProperties === false && isJsonList(required) && names.every((name) => required.includes(name));
}

function innerSchemas({ properties, items, anyOf }: JsonObject): readonly Json[] {
  return [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(isJsonList(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
}

function allowsType(type: Json | undefined, name: string): boolean {
  return type === name || (isJsonList(type) && type.includes(name));
}

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

type ValueConversion = (value: Json) => Json;

const convertOne: ValueConversion = (value) =>
  typeof value === 'boolean' ? (value ? {} : { not: {} }) : isJsonObject(value) ? withoutBooleanSchemas(value) : value;
const convertEach: ValueConversion = (value) => (isJsonList(value) ? value.map(convertOne) : convertOne(value));
const convertMembers: ValueConversion = (value) => (isJsonObject(value) ? mapValues(value, convertOne) : value);

/** Keywords that contain schemas. `additionalProperties` is not listed: all providers accept a boolean there. */
const HOLDING_SCHEMAS: ReadonlyMap<string, ValueConversion> = new Map([
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
