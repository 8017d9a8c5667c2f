import type { GraphDefinition } from './definition.ts';
import { isJsonList, isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** Tells definitions from other values, where what is a definition at all has been validated: published, or run. */
export function isDefinition(value: Json): value is GraphDefinition & JsonObject {
  return isJsonObject(value) && isJsonObject(value['nodes']) && isJsonList(value['edges']);
}
