import { isJsonList, isJsonObject, membersIn, own } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { spendUnits } from './meter.ts';
import { itemSchema, memberSchema, unconditionalSchemas } from './schema-parts.ts';
import type { SchemaPart } from './schema-parts.ts';

/*
 * Adds defaults to a value and removes unknown names, by its JSON Schema. Branches of `anyOf` and `oneOf` are ignored,
 * because the intended one is unknown.
 */

/** Adds the defaults of missing names. A default is not checked. */
export function addDefaults(value: Json, schema: JsonSchema): Json {
  return changeObjects(value, { schema, root: schema }, (object, schemas) => {
    const missing = schemas.flatMap(defaultsOfProperties).filter(([name]) => !Object.hasOwn(object, name));
    return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
  });
}

function defaultsOfProperties({ properties }: JsonObject): readonly (readonly [string, Json])[] {
  return membersIn(properties).flatMap(([name, schema]) => {
    spendUnits(1);
    const value = isJsonObject(schema) ? own(schema, 'default') : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
}

/**
 * Removes the names that objects may not have, where `properties` alone determines the allowed ones.
 * @param isKept returns true for an unknown name that stays
 */
export function removeUnknownNames(
  value: Json,
  schema: JsonSchema,
  isKept: (name: string, known: readonly string[]) => boolean = () => false,
): Json {
  return changeObjects(value, { schema, root: schema }, (object, schemas) => {
    const [only, ...others] = schemas.filter(({ $ref: _ref, ...rest }) => Object.keys(rest).length > 0);
    if (!only || others.length > 0 || only['patternProperties'] !== undefined) return object;
    if (only['additionalProperties'] !== false) return object;
    const known = membersIn(only['properties']).map(([name]) => name);
    const kept = Object.entries(object).filter(([name]) => known.includes(name) || isKept(name, known));
    return kept.length === Object.keys(object).length ? object : Object.fromEntries(kept);
  });
}

/** @param schemas all schemas that apply to the object */
type ChangeObject = (object: JsonObject, schemas: readonly JsonObject[]) => JsonObject;

/** Changes the objects in a value, inner ones first. An unchanged part keeps its identity. */
function changeObjects(value: Json, part: SchemaPart, change: ChangeObject): Json {
  spendUnits(5);
  if (isJsonList(value)) {
    const items = value.map((item, at) => changeObjects(item, itemSchema(part, at), change));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, changeObjects(member, memberSchema(part, name), change)] as const,
  );
  const isChanged = members.some(([name, member]) => member !== own(value, name));
  return change(isChanged ? Object.fromEntries(members) : value, unconditionalSchemas(part));
}
