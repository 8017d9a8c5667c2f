import { parsePointer, valueAt } from './json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';
import { isJsonList, isJsonObject, itemsIn, own, toItems } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { spendUnits } from './meter.ts';

/* Reads the types of a value and the schemas of its parts from a JSON Schema, through references and combinations. */

/** A schema inside another one, to which its references resolve. */
export interface SchemaPart {
  readonly schema: Json;
  readonly root: JsonSchema;
}

/** Keywords whose members are schemas with names that the author of the schema chooses. */
export const NAMED_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are data, not schemas. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'example',
  'required',
  'dependentRequired',
]);

/** Names of JSON types; `null` for any type. */
export type SchemaTypes = ReadonlySet<Json> | null;

/** Returns the types that a schema accepts. */
export function acceptedTypes({ schema, root }: SchemaPart): SchemaTypes {
  return acceptedTypesAt(schema, root, 0);
}

/** True if a schema names text among the types of the part at a path; false if it leaves the type open. */
export function allowsText(schema: JsonSchema, path: readonly (string | number)[]): boolean {
  const part = path.reduce<SchemaPart>(
    (outer, key) => (typeof key === 'number' ? itemSchema(outer, key) : memberSchema(outer, key)),
    { schema, root: schema },
  );
  return acceptedTypes(part)?.has('string') ?? false;
}

/** Returns the schema of one member of an object; `true` if none is declared. */
export function memberSchema({ schema, root }: SchemaPart, key: string): SchemaPart {
  const ofMember: PartReader = (object) => {
    const properties = object['properties'];
    const named = isJsonObject(properties) ? own(properties, key) : undefined;
    return named ?? object['additionalProperties'];
  };
  return { schema: findPart(schema, { root, read: ofMember, depth: 0 }) ?? true, root };
}

/** True if a schema of an object names a member, accepts others on purpose, or names none at all. */
export function acceptsMember({ schema, root }: SchemaPart, key: string): boolean {
  const declares: PartReader = ({ properties, patternProperties, additionalProperties }) => {
    if (isJsonObject(properties) && Object.hasOwn(properties, key)) return true;
    const isOpen = additionalProperties === true || isJsonObject(additionalProperties);
    return isOpen || patternProperties !== undefined ? true : undefined;
  };
  const namesMembers: PartReader = ({ properties, additionalProperties }) =>
    isJsonObject(properties) || additionalProperties === false ? true : undefined;
  const declared = findPart(schema, { root, read: declares, depth: 0 });
  return declared !== undefined || findPart(schema, { root, read: namesMembers, depth: 0 }) === undefined;
}

/** Returns the schema of one item of a list; `true` if none is declared. */
export function itemSchema({ schema, root }: SchemaPart, index: number): SchemaPart {
  const ofItem: PartReader = (object) => itemsIn(object['prefixItems'])[index] ?? object['items'];
  return { schema: findPart(schema, { root, read: ofItem, depth: 0 }) ?? true, root };
}

/**
 * Returns the schema objects that apply to a value unconditionally: the schema itself, its reference, and all of its
 * `allOf`.
 */
export function unconditionalSchemas({ schema, root }: SchemaPart): readonly JsonObject[] {
  return unconditionalSchemasAt(schema, root, 0);
}

/** A limit is needed because references may form a cycle. */
export const MAX_REFERENCE_DEPTH = 16;

function unconditionalSchemasAt(schema: Json | undefined, root: JsonSchema, depth: number): readonly JsonObject[] {
  spendUnits(5);
  if (!isJsonObject(schema) || depth > MAX_REFERENCE_DEPTH) return [];
  const inside = (inner: Json | undefined): readonly JsonObject[] => unconditionalSchemasAt(inner, root, depth + 1);
  return [schema, ...inside(resolveReference(schema['$ref'], root)), ...itemsIn(schema['allOf']).flatMap(inside)];
}

function acceptedTypesAt(schema: Json | undefined, root: JsonSchema, depth: number): SchemaTypes {
  spendUnits(5);
  if (!isJsonObject(schema) || depth > MAX_REFERENCE_DEPTH) return null;
  const typesInside = (inner: Json | undefined): SchemaTypes => acceptedTypesAt(inner, root, depth + 1);
  return [
    declaredTypes(schema['type']),
    typesOfValues(schema['enum']),
    schema['const'] === undefined ? null : typesOfValues([schema['const']]),
    typesInside(resolveReference(schema['$ref'], root)),
    ...itemsIn(schema['allOf']).map(typesInside),
    typesOfAny(schema['anyOf'], typesInside),
    typesOfAny(schema['oneOf'], typesInside),
  ].reduce(intersectTypes, null);
}

function declaredTypes(type: Json | undefined): SchemaTypes {
  return type === undefined ? null : new Set(chargeItems(toItems(type)));
}

function typesOfValues(values: Json | undefined): SchemaTypes {
  return isJsonList(values) ? new Set(chargeItems(values).map((value) => typeof value)) : null;
}

/** Charges for reading a whole list. */
function chargeItems(items: readonly Json[]): readonly Json[] {
  spendUnits(items.length);
  return items;
}

function typesOfAny(branches: Json | undefined, typesIn: (branch: Json) => SchemaTypes): SchemaTypes {
  const ofBranches = itemsIn(branches).map(typesIn);
  const known = ofBranches.filter((types) => types !== null);
  return known.length === 0 || known.length < ofBranches.length ? null : new Set(known.flatMap((types) => [...types]));
}

function intersectTypes(one: SchemaTypes, other: SchemaTypes): SchemaTypes {
  if (one === null || other === null) return one ?? other;
  return new Set([...one].filter((type) => other.has(type) || (isNumeric(type) && [...other].some(isNumeric))));
}

function isNumeric(type: Json): boolean {
  return type === 'number' || type === 'integer';
}

/** Reads the schema of a part from a single schema object. */
type PartReader = (schema: JsonObject) => Json | undefined;

interface PartSearch {
  readonly root: JsonSchema;
  readonly read: PartReader;
  readonly depth: number;
}

/**
 * Combines the schemas of a part from a schema and everything that it is combined of. Schemas without the part don't
 * count.
 */
function findPart(schema: Json | undefined, search: PartSearch): Json | undefined {
  spendUnits(5);
  if (!isJsonObject(schema) || search.depth > MAX_REFERENCE_DEPTH) return undefined;
  const inside = (inner: Json | undefined): readonly Json[] =>
    listIfDefined(findPart(inner, { ...search, depth: search.depth + 1 }));
  const parts = [
    ...listIfDefined(search.read(schema)),
    ...inside(resolveReference(schema['$ref'], search.root)),
    ...itemsIn(schema['allOf']).flatMap(inside),
    ...toAnyOf(itemsIn(schema['anyOf']).flatMap(inside)),
    ...toAnyOf(itemsIn(schema['oneOf']).flatMap(inside)),
  ];
  return parts.length > 1 ? { allOf: parts } : parts[0];
}

function listIfDefined(part: Json | undefined): readonly Json[] {
  return part === undefined ? [] : [part];
}

function toAnyOf(parts: readonly Json[]): readonly Json[] {
  return parts.length === 0 ? [] : [{ anyOf: parts }];
}

/** Follows a reference into the same document, such as `#/$defs/amount`. */
export function resolveReference(reference: Json | undefined, root: JsonSchema): Json | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  spendUnits(reference.length);
  return valueAt(root, parsePointer(reference));
}
