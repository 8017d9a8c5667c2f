import type { JsonSchema } from './definition.ts';
import { isExactNumber } from './exact-number.ts';
import { isJsonList, isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { itemSchema, memberSchema, typesOf } from './schema-parts.ts';
import type { SchemaPart } from './schema-parts.ts';

/**
 * Turns numbers and booleans that were given as text into what a schema wants, where nothing is lost: models write
 * `"5"` for 5. Whatever else a value is, it stays.
 */
export function coerce(value: Json, schema: JsonSchema | undefined): Json {
  return schema === undefined ? value : coercePart(value, { schema, root: schema });
}

function coercePart(value: Json, part: SchemaPart): Json {
  if (typeof value === 'string') return fromText(value, typesOf(part));
  if (isJsonList(value)) return value.map((item, at) => coercePart(item, itemSchema(part, at)));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, coercePart(member, memberSchema(part, key))]),
  );
}

/** @param types that the schema takes; `null`: any */
function fromText(text: string, types: ReadonlySet<Json> | null): Json {
  if (types === null || types.has('string')) return text;
  const read = written(text);
  if (typeof read === 'boolean') return types.has('boolean') ? read : text;
  return types.has('number') || types.has('integer') ? read : text;
}

/** A number or boolean that a text stands for; else the text. */
function written(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  return isExactNumber(text) ? Number(text) : text;
}

/**
 * Reads the texts at some places as the numbers and booleans that they stand for, where nothing is lost.
 * @param places JSON Pointers, such as those at which a check has found something wrong
 */
export function coerceAt(value: Json, places: ReadonlySet<string>, at = ''): Json {
  if (typeof value === 'string') return places.has(at) ? written(value) : value;
  if (isJsonList(value)) return value.map((item, index) => coerceAt(item, places, `${at}/${index}`));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, coerceAt(member, places, `${at}/${toPointerToken(key)}`)]),
  );
}

/** RFC 6901, 3. */
function toPointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
