import { MAX_POINTER, toPointer } from '../../values/json-pointer.ts';
import type { JsonSchema } from '../../values/json-schema.ts';
import { isJsonList, isJsonObject } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { survivesParsing } from '../../values/decimal.ts';
import { priceOfText, spendUnits } from '../../values/meter.ts';
import { itemSchema, memberSchema, acceptedTypes } from '../../values/schema-parts.ts';
import type { SchemaPart, SchemaTypes } from '../../values/schema-parts.ts';

/**
 * Converts texts to the numbers and booleans that a schema requires, because models write `"5"` for 5. A text whose
 * number would lose precision is not converted, nor is any other value.
 */
export function coerceToSchema(value: Json, schema: JsonSchema | undefined): Json {
  return schema === undefined ? value : coercePart(value, { schema, root: schema });
}

/**
 * Converts the texts at given JSON Pointers as `coerceToSchema` does, regardless of a schema.
 * @param pointers none is longer than `MAX_POINTER`
 */
export function coerceAtPointers(value: Json, pointers: ReadonlySet<string>, pointer = ''): Json {
  spendUnits(PER_PART);
  if (pointer.length > MAX_POINTER) return value;
  if (typeof value === 'string') return pointers.has(pointer) ? parseScalar(value) : value;
  const coerceMember = (member: Json, key: string | number): Json =>
    coerceAtPointers(member, pointers, pointer + toPointer([key]));
  if (isJsonList(value)) return value.map(coerceMember);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, coerceMember(member, key)]));
}

/** In units of the meter: making a pointer, and looking it up. */
const PER_PART = 5;

function coercePart(value: Json, part: SchemaPart): Json {
  if (typeof value === 'string') return coerceText(value, acceptedTypes(part));
  if (isJsonList(value)) return value.map((item, index) => coercePart(item, itemSchema(part, index)));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, coercePart(member, memberSchema(part, key))]),
  );
}

function coerceText(text: string, types: SchemaTypes): Json {
  if (types === null || types.has('string')) return text;
  const scalar = parseScalar(text);
  if (typeof scalar === 'boolean') return types.has('boolean') ? scalar : text;
  return types.has('number') || types.has('integer') ? scalar : text;
}

/** Returns the boolean or exact number that a text spells; otherwise the text itself. */
function parseScalar(text: string): Json {
  spendUnits(2 * priceOfText(text));
  if (text === 'true' || text === 'false') return text === 'true';
  return isExactNumber(text) ? Number(text) : text;
}

/** True if a text is a JSON number that a double holds without loss. */
function isExactNumber(text: string): boolean {
  const value = Number(text);
  return survivesParsing(text) && !Object.is(value, -0) && isSafeNumber(value);
}

/** False beyond the safe integers, where several whole numbers share one double. */
function isSafeNumber(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}
