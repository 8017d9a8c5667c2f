import type { Json } from '../json.ts';
import { GraphError } from '../errors.ts';
import { mismatch } from './mismatch.ts';
import type { Reducer } from './reducer.ts';

/** The folds over numbers and booleans; without a value the first write counts as it is. */
export const sum = fold(0, asNumber, add);
export const min = fold(null, asNumber, (a, b) => Math.min(a, b));
export const max = fold(null, asNumber, (a, b) => Math.max(a, b));
export const and = fold(null, asBoolean, (a, b) => a && b);
export const or = fold(null, asBoolean, (a, b) => a || b);

function fold<T extends number | boolean>(
  initial: T | null,
  read: (value: Json) => T,
  combine: (a: T, b: T) => T,
): Reducer {
  return {
    initial,
    exclusive: false,
    reduce: (current, update) => (current === null ? read(update) : combine(read(current), read(update))),
  };
}

function add(a: number, b: number): number {
  const total = a + b;
  if (Number.isFinite(total)) return total;
  throw new GraphError('CHANNEL_SCHEMA_VIOLATION', `its sum is beyond all numbers: ${a} and ${b} more`);
}

function asNumber(value: Json): number {
  if (typeof value !== 'number') throw mismatch('a number', value);
  return value;
}

function asBoolean(value: Json): boolean {
  if (typeof value !== 'boolean') throw mismatch('true or false', value);
  return value;
}
