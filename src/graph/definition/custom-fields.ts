import type { JsonObject } from '../values/json.ts';

/** The fields that a node of any type may have; all others of a custom node are its own. */
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

/** The fields of a custom node that its type has made up. */
export function ownFields(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !COMMON.has(name)));
}
