import {
  DATA_KEYWORDS,
  isJsonList,
  isJsonObject,
  isLinearPattern,
  NAMED_KEYWORDS,
} from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';

/** A schema with only the keywords that can be checked here. */
interface UsableSchema {
  readonly schema: JsonObject;
  /** The keywords that are not checked, such as `pattern of "email"`; the owner of the schema checks them itself. */
  readonly unchecked: readonly string[];
}

/**
 * Makes the schema of a third party usable: patterns that take more than linear time are left out, and the lists of
 * schemas in `items` and the flags in `exclusiveMinimum` of older drafts become what JSON Schema 2020-12 has.
 */
export function toUsableSchema(schema: JsonObject): UsableSchema {
  const unchecked: string[] = [];
  const usable = convertSchema(schema, '', unchecked);
  return { schema: isJsonObject(usable) ? usable : schema, unchecked };
}

/** Converts a schema, or the value of a keyword. @param of the name of the value that the schema describes */
function convertSchema(value: Json, of: string, unchecked: string[]): Json {
  if (isJsonList(value)) return value.map((item) => convertSchema(item, of, unchecked));
  if (!isJsonObject(value)) return value;
  const converted = Object.entries(value).flatMap(([keyword, inner]): [string, Json][] => {
    if (DATA_KEYWORDS.has(keyword)) return [[keyword, inner]];
    if (NAMED_KEYWORDS.has(keyword) && isJsonObject(inner))
      return [[keyword, mapMembers(inner, (member, name) => convertSchema(member, name, unchecked))]];
    if (keyword === 'pattern' && typeof inner === 'string' && !isLinearPattern(inner)) {
      unchecked.push(of === '' ? 'pattern' : `pattern of "${of}"`);
      return [];
    }
    return [[keyword, convertSchema(inner, of, unchecked)]];
  });
  return convertTupleItems(withNumericBounds(Object.fromEntries(converted)));
}

function mapMembers(object: JsonObject, map: (member: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member, name)]));
}

/** Draft 7 and OpenAPI 3.0 list the schemas of a list's first elements in `items`; `additionalItems` is for the others. */
function convertTupleItems(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (items === undefined || !isJsonList(items)) return schema;
  return { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** Draft 4 says by a flag that a bound is excluded. */
function withNumericBounds(schema: JsonObject): JsonObject {
  return BOUNDS.reduce((converted, [flag, bound]) => {
    const { [flag]: isExcluded, [bound]: limit, ...rest } = converted;
    if (typeof isExcluded !== 'boolean') return converted;
    if (limit === undefined) return rest;
    return { ...rest, [isExcluded ? flag : bound]: limit };
  }, schema);
}

const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;
