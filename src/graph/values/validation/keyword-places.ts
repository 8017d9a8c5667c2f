import { isJsonList, isJsonObject, own } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { spend } from '../meter.ts';

/** How a keyword holds other schemas. */
type Holding = 'schema' | 'list' | 'map';

/** How a held schema applies: to the same value, or to another one, such as a member. */
type Reach = 'same' | 'other';

/** The keywords of JSON Schema 2020-12 that hold schemas; `definitions` and `dependencies` are of older drafts. */
const HOLDERS: readonly (readonly [string, readonly [Holding, Reach]])[] = [
  ...['not', 'if', 'then', 'else'].map((keyword) => [keyword, ['schema', 'same']] as const),
  ...['allOf', 'anyOf', 'oneOf'].map((keyword) => [keyword, ['list', 'same']] as const),
  ...['dependentSchemas', 'dependencies'].map((keyword) => [keyword, ['map', 'same']] as const),
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems'].map(
    (keyword) => [keyword, ['schema', 'other']] as const,
  ),
  ['prefixItems', ['list', 'other']],
  ...['$defs', 'definitions', 'properties', 'patternProperties'].map((keyword) => [keyword, ['map', 'other']] as const),
];

/** In units of the meter. */
const PER_SCHEMA = 8;
const PER_MEMBER = 3;

/** A schema within another one. */
export interface HeldSchema {
  /** Keys that lead to it from the schema that holds it. */
  readonly path: readonly (string | number)[];
  readonly schema: Json;
  readonly reach: Reach;
}

/** The schemas that a schema holds. Members that are no schemas are included, except lists in `dependencies`. */
export function heldSchemas(schema: JsonObject): readonly HeldSchema[] {
  spend(PER_SCHEMA);
  return HOLDERS.flatMap(([keyword, [holding, reach]]) => {
    const held = own(schema, keyword);
    if (held === undefined) return [];
    if (holding === 'schema') return [{ path: [keyword], schema: held, reach }];
    return membersOf(held, holding)
      .filter(([, member]) => keyword !== 'dependencies' || !isJsonList(member))
      .map(([key, member]) => ({ path: [keyword, key], schema: member, reach }));
  });
}

function membersOf(held: Json, holding: 'list' | 'map'): readonly (readonly [string | number, Json])[] {
  const members = holding === 'map' ? entriesOf(held) : isJsonList(held) ? [...held.entries()] : [];
  spend(PER_MEMBER * members.length);
  return members;
}

function entriesOf(held: Json): readonly (readonly [string, Json])[] {
  return isJsonObject(held) ? Object.entries(held) : [];
}
