import type { JsonObject } from '../values/json.ts';

/** The fields that a node of any type may have. All other fields of a custom node are defined by its type. */
const COMMON: ReadonlySet<string> = new Set([
  'type',
  'description',
  'write',
  'retry',
  'timeout',
  'deadline',
  'onError',
  'maxVisits',
  'defer',
  'mayGoto',
]);

/** Returns the fields of a custom node that its type defines. */
export function ownFields(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !COMMON.has(name)));
}
