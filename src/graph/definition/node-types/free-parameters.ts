import { mapValues } from '../../values/collections.ts';
import { parsePointer, toPointer, valueAt } from '../../values/json-pointer.ts';
import type { JsonSchema } from '../../values/json-schema.ts';
import { isJsonList, isJsonObject, itemsIn, membersIn } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { spendUnits } from '../../values/meter.ts';
import { DATA_KEYWORDS, MAX_REFERENCE_DEPTH, resolveReference } from '../../values/schema-parts.ts';

/**
 * Returns the parameters that a model still chooses when some arguments are fixed: without them as properties, as
 * required members and in what depends on them. The whole schema checks each call, so this one only has to describe it.
 */
export function freeParameters(parameters: JsonSchema, fixed: Iterable<string>): JsonSchema {
  if (!isJsonObject(parameters)) return parameters;
  const reduced = reduceSchema(parameters, { root: parameters, fixed: new Set(fixed), expanded: { count: 0 } }, 0);
  return isJsonObject(reduced) ? withReferencedParts(reduced, parameters) : parameters;
}

interface Reduction {
  readonly root: JsonObject;
  readonly fixed: ReadonlySet<string>;
  /** The number of references that are replaced by what they refer to. */
  readonly expanded: { count: number };
}

/** References to the same schema may multiply its size. */
const MAX_EXPANDED = 100;

/** Reduces a schema that applies to the whole arguments. */
function reduceSchema(schema: Json, reduction: Reduction, depth: number): Json {
  spendUnits(5);
  if (!isJsonObject(schema)) return schema;
  const reduced = Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      const reduceKeyword = REDUCERS[keyword];
      const left = reduceKeyword ? reduceKeyword(value, reduction, depth) : value;
      return left === null && reduceKeyword ? [] : [[keyword, left] as const];
    }),
  );
  return withReferenceReplaced(withImpliedMembers(reduced, schema, reduction), reduction, depth);
}

/** Reduces the value of a keyword. @returns `null` if nothing is left of it */
type KeywordReducer = (value: Json, reduction: Reduction, depth: number) => Json;

const reduceAll: KeywordReducer = (value, reduction, depth) =>
  itemsIn(value).map((schema) => reduceSchema(schema, reduction, depth));
const reduceOne: KeywordReducer = (value, reduction, depth) => reduceSchema(value, reduction, depth);
const reduceCount: KeywordReducer = (value, { fixed }) =>
  typeof value === 'number' ? Math.max(0, value - fixed.size) : value;

const REDUCERS: Readonly<Partial<Record<string, KeywordReducer>>> = {
  properties: (value, { fixed }) => withoutMembers(value, fixed),
  required: (value, { fixed }) => {
    const left = itemsIn(value).filter((name) => typeof name !== 'string' || !fixed.has(name));
    return left.length > 0 ? left : null;
  },
  dependentRequired: (value, { fixed }) =>
    isJsonObject(value)
      ? mapValues(withoutMembers(value, fixed), (names) =>
          itemsIn(names).filter((name) => typeof name !== 'string' || !fixed.has(name)),
        )
      : value,
  dependentSchemas: (value, reduction, depth) =>
    isJsonObject(value)
      ? mapValues(withoutMembers(value, reduction.fixed), (schema) => reduceSchema(schema, reduction, depth))
      : value,
  minProperties: reduceCount,
  maxProperties: reduceCount,
  allOf: reduceAll,
  anyOf: reduceAll,
  oneOf: reduceAll,
  then: reduceOne,
  else: reduceOne,
};

function withoutMembers(value: Json, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(membersIn(value).filter(([name]) => !names.has(name)));
}

/** Adds what depends on fixed arguments: they are always there. */
function withImpliedMembers(reduced: JsonObject, schema: JsonObject, { fixed }: Reduction): JsonObject {
  const implied = membersIn(schema['dependentRequired'])
    .filter(([name]) => fixed.has(name))
    .flatMap(([, names]) => itemsIn(names))
    .filter((name) => typeof name === 'string' && !fixed.has(name));
  if (implied.length === 0) return reduced;
  return { ...reduced, required: [...new Set([...itemsIn(reduced['required']), ...implied])] };
}

function withReferenceReplaced(schema: JsonObject, reduction: Reduction, depth: number): JsonObject {
  const { $ref, ...rest } = schema;
  const target = resolveReference($ref, reduction.root);
  if (target === undefined || depth >= MAX_REFERENCE_DEPTH || reduction.expanded.count >= MAX_EXPANDED) return schema;
  reduction.expanded.count += 1;
  const reduced = reduceSchema(target, reduction, depth + 1);
  if (!isJsonObject(reduced)) return { ...rest, allOf: [...itemsIn(rest['allOf']), reduced] };
  // Providers require `type` at the top, so that a reference that stands alone is replaced by what it refers to.
  const isAlone = Object.keys(rest).every((keyword) => !Object.hasOwn(reduced, keyword));
  return isAlone ? { ...reduced, ...rest } : { ...rest, allOf: [...itemsIn(rest['allOf']), reduced] };
}

/**
 * Copies the parts of the whole schema that references outside of `$defs` still name: the reduced schema may lack them,
 * or have less of them.
 */
function withReferencedParts(reduced: JsonObject, whole: JsonObject): JsonObject {
  const copies = new Map<string, string>();
  const moved = (value: Json): Json => {
    spendUnits(1);
    if (isJsonList(value)) return value.map(moved);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (key === '$ref' && typeof member === 'string') return [key, moveReference(member)];
        return [key, DATA_KEYWORDS.has(key) ? member : moved(member)];
      }),
    );
  };
  const moveReference = (reference: string): string => {
    if (!isOutsideDefinitions(reference)) return reference;
    const name = copies.get(reference) ?? `whole-${copies.size}`;
    copies.set(reference, name);
    return `#${toPointer(['$defs', name])}`;
  };
  const schema = moved(reduced);
  const parts: [string, Json][] = [];
  for (const [reference, name] of copies) parts.push([name, moved(valueAt(whole, parsePointer(reference)) ?? true)]);
  if (!isJsonObject(schema) || parts.length === 0) return reduced;
  return { ...schema, $defs: { ...Object.fromEntries(membersIn(schema['$defs'])), ...Object.fromEntries(parts) } };
}

/** True for a reference into the same document, but not into its definitions. */
function isOutsideDefinitions(reference: string): boolean {
  return reference === '#' || (reference.startsWith('#/') && !/^#\/(?:\$defs|definitions)\//.test(reference));
}
