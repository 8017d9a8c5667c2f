import { isJsonList, isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { priceOfText, spendUnits } from './meter.ts';

/**
 * Compares two values, at three units of the meter for each part and one for each key. Identical objects are compared
 * part by part as well, because they lose their identity when they are stored.
 */
export function deepEqual(a: Json, b: Json): boolean {
  spendUnits(typeof a === 'string' ? priceOfText(a) : 3);
  if (isJsonList(a))
    return isJsonList(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i] ?? null));
  if (!isJsonObject(a)) return a === b;
  if (!isJsonObject(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  spendUnits(keys.length + others.length);
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key] ?? null, b[key] ?? null))
  );
}

/** Returns JSON text with sorted keys, which is the same for equal values. */
export function canonicalJson(value: Json): string {
  spendUnits(typeof value === 'string' ? priceOfText(value) : 5);
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${keyText(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

function keyText(key: string): string {
  spendUnits(priceOfText(key));
  return JSON.stringify(key);
}
