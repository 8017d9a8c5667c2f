import type { ReducerName } from '../definition/reducers.ts';
import { GraphError } from '../values/errors.ts';
import { toItems, isJsonObject, canonicalJson } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { messages } from './messages.ts';
import { asList, extend, mismatch } from './reducer.ts';
import type { Reducer } from './reducer.ts';

/** A list: a list written to it is concatenated, any other value pushed. */
const append: Reducer = {
  initial: [],
  reduce: (current, update, context) => extend(asList(current), toItems(update), context),
};

/** The folds over numbers and booleans; without a value the first write counts as it is. */
const sum = fold(0, asNumber, add);

const min = fold(null, asNumber, (a, b) => Math.min(a, b));

const max = fold(null, asNumber, (a, b) => Math.max(a, b));

const and = fold(null, asBoolean, (a, b) => a && b);

const or = fold(null, asBoolean, (a, b) => a || b);

function fold<T extends number | boolean>(
  initial: T | null,
  read: (value: Json) => T,
  combine: (a: T, b: T) => T,
): Reducer {
  return {
    initial,
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

/** An object, merged shallowly: later keys win, a `null` value removes its key. */
const merge: Reducer = {
  initial: {},
  isAdding: true,
  reduce(current, update) {
    if (!isJsonObject(update)) throw mismatch('an object', update);
    const members = Object.entries(update);
    const removed = new Set(members.filter(([, value]) => value === null).map(([key]) => key));
    const kept = Object.entries(isJsonObject(current) ? current : {});
    return Object.fromEntries([...kept, ...members].filter(([key]) => !removed.has(key)));
  },
};

/** The last value written. */
const replace: Reducer = {
  initial: null,
  reduce: (_current, update) => update,
};

/** A list without duplicates (deep equality); the first occurrence stays. */
const union: Reducer = {
  initial: [],
  reduce(current, update, context) {
    const list = asList(current);
    const seen = new Set(list.map(canonicalJson));
    const items = toItems(update).filter((item) => {
      const key = canonicalJson(item);
      return !seen.has(key) && seen.add(key);
    });
    return extend(list, items, context);
  },
};

/** The reducers that a channel may name. */
export const reducers: Readonly<Record<ReducerName, Reducer>> = {
  replace,
  append,
  union,
  merge,
  sum,
  min,
  max,
  and,
  or,
  messages,
};
