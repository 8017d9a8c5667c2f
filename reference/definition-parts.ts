import { definitionSchema } from '../src/graph/schema/index.ts';
import { isJsonList, isJsonObject } from '../src/graph/values/index.ts';
import type { Json } from '../src/graph/values/index.ts';

const schema = definitionSchema();

/** Finds a part of the JSON Schema of definitions. @throws Error if there is none */
export function partAt(...path: readonly string[]): Json {
  return path.reduce<Json>(memberOf, schema);
}

/** Finds the schema of a field of an object's schema. @throws Error if there is none */
export function fieldOf(object: Json, field: string): Json {
  return memberOf(memberOf(object, 'properties'), field);
}

function memberOf(part: Json, name: string): Json {
  const inner = isJsonObject(part) ? part[name] : undefined;
  if (inner === undefined) throw new Error(`The schema of definitions has no "${name}" there`);
  return inner;
}

/** The schema of the whole definition. */
export const wholeDefinition: Json = schema;

/** Finds the alternative of a part that has this title. */
export function titled(part: Json, title: string): Json {
  const found = alternatives(part).find((one) => isJsonObject(one) && one['title'] === title);
  if (found === undefined) throw new Error(`The schema of definitions has no "${title}"`);
  return found;
}

/** Finds the alternative of a part that is an object with these fields. */
export function objectIn(part: Json): Json {
  const found = alternatives(part).find((one) => isJsonObject(one) && one['properties'] !== undefined);
  if (found === undefined) throw new Error('The part has no object');
  return found;
}

function alternatives(part: Json): readonly Json[] {
  const { anyOf } = isJsonObject(part) ? part : {};
  return isJsonList(anyOf) ? anyOf : [part];
}
