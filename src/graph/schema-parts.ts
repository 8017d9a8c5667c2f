import type { JsonSchema } from './definition.ts';
import { isJsonList, isJsonObject, own, toItems } from './json.ts';
import type { Json } from './json.ts';

/* What a JSON Schema says of the types of a value and of its parts, through references and combinations. */

/** A schema inside another one, to which its references are resolved. */
export interface SchemaPart {
  readonly schema: Json;
  readonly root: JsonSchema;
}

/** The types that a schema takes; `null`: any. */
export function typesOf({ schema, root }: SchemaPart): ReadonlySet<Json> | null {
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
export function memberSchema({ schema, root }: SchemaPart, key: string): SchemaPart {
  const ofMember = (part: Readonly<Record<string, Json>>): Json | undefined => {
    const properties = part['properties'];
    const named = isJsonObject(properties) ? own(properties, key) : undefined;
    return named ?? part['additionalProperties'];
  };
  return { schema: partOf(schema, { root, of: ofMember, depth: 0 }) ?? true, root };
}

/** What is said of one item of a list. */
export function itemSchema({ schema, root }: SchemaPart, at: number): SchemaPart {
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
  const path = reference.split('/').slice(1);
  return path.reduce<Json | undefined>((found, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return isJsonList(found) ? found[Number(name)] : isJsonObject(found) ? own(found, name) : undefined;
  }, root);
}
