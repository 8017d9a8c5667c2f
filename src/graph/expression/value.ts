import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { isContainer, isJsonList, isJsonObject } from '../values/json.ts';
import { toJson } from '../values/to-json.ts';
import type { Json } from '../values/json.ts';
import { spendUnits } from '../values/meter.ts';
import { writeDuration, writeTimestamp } from './time.ts';
import type { ByteBudget } from './byte-budget.ts';

/**
 * Copies a CEL value as JSON: ints become numbers, durations text, timestamps RFC 3339 text, empty optionals `null`.
 * @param budget counts the copy while it is made
 * @throws NotJsonError for bytes, types and numbers that are not finite
 * @throws GraphError when the budget is used up
 */
export function fromCel(value: unknown, budget: ByteBudget): Json {
  return toJson(value, { foreign: fromForeign, budget });
}

/** Returns the content of an optional, `null` if it is empty; any other value unchanged. */
export function unwrapOptional(value: unknown): unknown {
  if (!isContainer(value) || !isOptional(value)) return value;
  return value.hasValue() ? value.value() : null;
}

function fromForeign(value: object): unknown {
  if (value instanceof UnsignedInt) return value.valueOf();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Duration) return writeDuration(value);
  if (value instanceof Date) return writeTimestamp(value);
  return isOptional(value) ? unwrapOptional(value) : undefined;
}

interface CelOptional {
  hasValue(): boolean;
  value(): unknown;
}

function isOptional(value: object): value is CelOptional {
  return 'hasValue' in value && typeof value.hasValue === 'function' && 'value' in value;
}

/** True if an object in a value has a member named `constructor`, which the CEL library uses as the object's type. */
export function hasConstructorMember(value: Json): boolean {
  spendUnits(1);
  if (isJsonList(value)) return value.some(hasConstructorMember);
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructorMember);
}

/** Copies a value with maps instead of objects. The CEL library treats members of maps only as data. */
export function toMaps(value: Json): unknown {
  spendUnits(2);
  if (isJsonList(value)) return value.map(toMaps);
  if (!isJsonObject(value)) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, toMaps(member)]));
}
