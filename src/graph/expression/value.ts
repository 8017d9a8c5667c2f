import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import type { ByteBudget } from './byte-budget.ts';
import { toJson, isJsonList, isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spend } from '../values/meter.ts';
import { writeDuration, writeTimestamp } from './time.ts';

/**
 * Copies a CEL value as JSON: ints become numbers, durations text, timestamps RFC 3339 text, empty optionals `null`.
 * @param budget counts the copy while it is made
 * @throws NotJsonError for bytes, types and numbers that are not finite
 * @throws GraphError when the budget is used up
 */
export function fromCel(value: unknown, budget: ByteBudget): Json {
  return toJson(value, { foreign: fromForeign, budget });
}

/** The content of an optional, `null` of an empty one; any other value as it is. */
export function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !isOptional(value)) return value;
  return value.hasValue() ? value.value() : null;
}

function fromForeign(value: object): unknown {
  if (value instanceof UnsignedInt) return Number(value.valueOf());
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Duration) return writeDuration(value);
  if (value instanceof Date) return writeTimestamp(value);
  return isOptional(value) ? unwrap(value) : undefined;
}

interface Optional {
  hasValue(): boolean;
  value(): unknown;
}

function isOptional(value: object): value is Optional {
  return 'hasValue' in value && typeof value.hasValue === 'function' && 'value' in value;
}

/** True if an object in a value has a member named `constructor`, which the CEL library takes for the object's type. */
export function hasConstructorMember(value: Json): boolean {
  spend(1);
  if (isJsonList(value)) return value.some(hasConstructorMember);
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructorMember);
}

/** Copies a value with maps in place of objects. The CEL library treats members of maps as data only. */
export function toMaps(value: Json): unknown {
  spend(2);
  if (isJsonList(value)) return value.map(toMaps);
  if (!isJsonObject(value)) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, toMaps(member)]));
}
