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
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  const isWanted = types.has('number') || types.has('integer');
  return isWanted && isExactNumber(text) ? Number(text) : text;
}
