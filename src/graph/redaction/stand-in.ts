import { mapValues } from '../values/collections.ts';
import { isJsonList, isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { REDACTED } from './mask.ts';

/** Hides a value, and keeps its form: texts are `[redacted]`, numbers 0, and true is false. A replay can go on with it. */
export function standInFor(value: Json): Json {
  if (typeof value === 'string') return REDACTED;
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (isJsonList(value)) return value.map(standInFor);
  return isJsonObject(value) ? mapValues(value, standInFor) : value;
}
