import { parsePointer, toPointer } from './json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';
import { isJsonList, isJsonObject, toItems, own } from './json.ts';
import type { Json } from './json.ts';

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
    Object.entries(value).map(([key, member]) => [key, coerceAt(member, places, at + toPointer([key]))]),
  );
}

/** Whether a text is a number as JSON writes it, of which nothing is lost when it is read. */
function isExactNumber(text: string): boolean {
  const written = partsOf(text);
  const value = Number(text);
  if (!written || Object.is(value, -0)) return false;
  const read = partsOf(String(value));
  return read?.digits === written.digits && read.exponent === written.exponent && isPrecise(value);
}

/** Whole numbers beyond these stand for their neighbors, too. */
function isPrecise(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

interface Parts {
  /** With the sign, without zeros on either side. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

function partsOf(text: string): Parts | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { digits: '0', exponent: 0 };
  return { digits: sign + digits, exponent: Number(exponent) - fraction.length + all.length - digits.length };
}

/* What a JSON Schema says of the types of a value and of its parts, through references and combinations. */

/** A schema inside another one, to which its references are resolved. */
export interface SchemaPart {
  readonly schema: Json;
  readonly root: JsonSchema;
}

/** The types that a schema takes; `null`: any. */
function typesOf({ schema, root }: SchemaPart): ReadonlySet<Json> | null {
  return typesAt(schema, root, 0);
}

/** References may lead around in a circle. */
const MAX_DEPTH = 16;

type Types = ReadonlySet<Json> | null;

function typesAt(schema: Json | undefined, root: JsonSchema, depth: number): Types {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return null;
  const inside = (part: Json | undefined): Types => typesAt(part, root, depth + 1);
  return [
    ownTypes(schema['type']),
    typesOfValues(schema['enum']),
    schema['const'] === undefined ? null : typesOfValues([schema['const']]),
    inside(resolve(schema['$ref'], root)),
    ...listOf(schema['allOf']).map(inside),
    anyOf(schema['anyOf'], inside),
    anyOf(schema['oneOf'], inside),
  ].reduce(both, null);
}

function ownTypes(type: Json | undefined): Types {
  return type === undefined ? null : new Set(toItems(type));
}

function typesOfValues(values: Json | undefined): Types {
  return isJsonList(values) ? new Set(values.map((value) => typeof value)) : null;
}

function anyOf(branches: Json | undefined, typesIn: (branch: Json) => Types): Types {
  const found = listOf(branches).map(typesIn);
  const known = found.filter((types) => types !== null);
  return known.length === 0 || known.length < found.length ? null : new Set(known.flatMap((types) => [...types]));
}

function both(one: Types, other: Types): Types {
  if (one === null || other === null) return one ?? other;
  return new Set([...one].filter((type) => other.has(type) || (isNumeric(type) && [...other].some(isNumeric))));
}

function isNumeric(type: Json): boolean {
  return type === 'number' || type === 'integer';
}

/** What is said of one member of an object. */
function memberSchema({ schema, root }: SchemaPart, key: string): SchemaPart {
  const ofMember = (part: Readonly<Record<string, Json>>): Json | undefined => {
    const properties = part['properties'];
    const named = isJsonObject(properties) ? own(properties, key) : undefined;
    return named ?? part['additionalProperties'];
  };
  return { schema: partOf(schema, { root, of: ofMember, depth: 0 }) ?? true, root };
}

/** What is said of one item of a list. */
function itemSchema({ schema, root }: SchemaPart, at: number): SchemaPart {
  const ofItem = (part: Readonly<Record<string, Json>>): Json | undefined =>
    listOf(part['prefixItems'])[at] ?? part['items'];
  return { schema: partOf(schema, { root, of: ofItem, depth: 0 }) ?? true, root };
}

interface Search {
  readonly root: JsonSchema;
  /** What one schema itself says of the part. */
  readonly of: (schema: Readonly<Record<string, Json>>) => Json | undefined;
  readonly depth: number;
}

/** What a schema and those that it is made of say of a part; those that say nothing of it don't count. */
function partOf(schema: Json | undefined, search: Search): Json | undefined {
  if (!isJsonObject(schema) || search.depth > MAX_DEPTH) return undefined;
  const inside = (part: Json | undefined): readonly Json[] =>
    said(partOf(part, { ...search, depth: search.depth + 1 }));
  const all = [
    ...said(search.of(schema)),
    ...inside(resolve(schema['$ref'], search.root)),
    ...listOf(schema['allOf']).flatMap(inside),
    ...anyOfThem(listOf(schema['anyOf']).flatMap(inside)),
    ...anyOfThem(listOf(schema['oneOf']).flatMap(inside)),
  ];
  return all.length > 1 ? { allOf: all } : all[0];
}

function anyOfThem(parts: readonly Json[]): readonly Json[] {
  return parts.length === 0 ? [] : [{ anyOf: parts }];
}

function said(part: Json | undefined): readonly Json[] {
  return part === undefined ? [] : [part];
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}

/** A reference into the same document, such as `#/$defs/amount`. */
function resolve(reference: Json | undefined, root: JsonSchema): Json | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  return parsePointer(reference.slice(1)).reduce<Json | undefined>((found, name) => {
    return isJsonList(found) ? found[Number(name)] : isJsonObject(found) ? own(found, name) : undefined;
  }, root);
}
