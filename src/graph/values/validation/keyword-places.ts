import { isJsonList, isJsonObject } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';

/** How a keyword holds other schemas. */
type Holding = 'schema' | 'list' | 'map';

/** How a held schema applies: to the same value, or to another one, such as a member. */
type Reach = 'same' | 'other';

/** The keywords of JSON Schema 2020-12 that hold schemas; `definitions` and `dependencies` are of older drafts. */
const HOLDERS: ReadonlyMap<string, readonly [Holding, Reach]> = new Map<string, readonly [Holding, Reach]>([
  ...['not', 'if', 'then', 'else'].map((keyword) => [keyword, ['schema', 'same']] as const),
  ...['allOf', 'anyOf', 'oneOf'].map((keyword) => [keyword, ['list', 'same']] as const),
  ...['dependentSchemas', 'dependencies'].map((keyword) => [keyword, ['map', 'same']] as const),
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems'].map(
    (keyword) => [keyword, ['schema', 'other']] as const,
  ),
  ['prefixItems', ['list', 'other']],
  ...['$defs', 'definitions', 'properties', 'patternProperties'].map((keyword) => [keyword, ['map', 'other']] as const),
]);

/** A schema within another one. */
export interface HeldSchema {
  /** Keys that lead to it from the schema that holds it. */
  readonly path: readonly (string | number)[];
  readonly schema: Json;
  readonly reach: Reach;
}

/** The schemas that a schema holds. Members that are no schemas are included, except lists in `dependencies`. */
export function heldSchemas(schema: JsonObject): readonly HeldSchema[] {
  return [...HOLDERS].flatMap(([keyword, [holding, reach]]) => {
    const held = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
    if (held === undefined) return [];
    if (holding === 'schema') return [{ path: [keyword], schema: held, reach }];
    return membersOf(held, holding)
      .filter(([, member]) => keyword !== 'dependencies' || !isJsonList(member))
      .map(([key, member]) => ({ path: [keyword, key], schema: member, reach }));
  });
}

function membersOf(held: Json, holding: 'list' | 'map'): readonly (readonly [string | number, Json])[] {
  if (holding === 'list') return isJsonList(held) ? [...held.entries()] : [];
  return isJsonObject(held) ? Object.entries(held) : [];
}
