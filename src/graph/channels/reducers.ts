import type { ReducerName } from '../definition/reducers.ts';
import { GraphError } from '../values/errors.ts';
import { canonicalJson, isJsonObject, toItems } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spend } from '../values/meter.ts';
import { messages } from './messages.ts';
import { asList, extend, mismatch } from './reducer.ts';
import type { Reducer } from './reducer.ts';

/** The reducers that a channel may name (specification, "Channels"). */
export const reducers: Readonly<Record<ReducerName, Reducer>> = {
  /** The last value written. */
  replace: { initial: null, reduce: (_current, update) => update },
  /** A list. A list written to it is concatenated, any other value pushed. */
  append: {
    initial: [],
    reduce: (current, update, context) => extend(asList(current), toItems(update), context),
  },
  /** A list without duplicates by deep equality. The first occurrence stays. */
  union: { initial: [], reduce: addMissing },
  /** An object, merged shallowly: later keys win, a `null` value removes its key. */
  merge: { initial: {}, isAdding: true, reduce: mergeMembers },
  sum: scalarReducer(0, asNumber, add),
  min: scalarReducer(null, asNumber, (a, b) => Math.min(a, b)),
  max: scalarReducer(null, asNumber, (a, b) => Math.max(a, b)),
  and: scalarReducer(null, asBoolean, (a, b) => a && b),
  or: scalarReducer(null, asBoolean, (a, b) => a || b),
  messages,
};

function addMissing(...[current, update, context]: Parameters<Reducer['reduce']>): Json {
  const list = asList(current);
  const seen = new Set(list.map(canonicalJson));
  const missing = toItems(update).filter((item) => {
    const key = canonicalJson(item);
    return !seen.has(key) && seen.add(key);
  });
  return extend(list, missing, context);
}

function mergeMembers(current: Json, update: Json): Json {
  if (!isJsonObject(update)) throw mismatch('an object', update);
  const written = Object.entries(update);
  const removed = new Set(written.filter(([, value]) => value === null).map(([key]) => key));
  const members = [...Object.entries(isJsonObject(current) ? current : {}), ...written];
  spend(1 + 4 * members.length);
  return Object.fromEntries(members.filter(([key]) => !removed.has(key)));
}

/** A reducer of numbers or booleans. The first write to an empty channel becomes its value as it is. */
function scalarReducer<T extends number | boolean>(
  initial: T | null,
  read: (value: Json) => T,
  combine: (a: T, b: T) => T,
): Reducer {
  return {
    initial,
    reduce: (current, update) => (current === null ? read(update) : combine(read(current), read(update))),
  };
}

function asNumber(value: Json): number {
  if (typeof value !== 'number') throw mismatch('a number', value);
  return value;
}

function asBoolean(value: Json): boolean {
  if (typeof value !== 'boolean') throw mismatch('true or false', value);
  return value;
}

function add(a: number, b: number): number {
  const total = a + b;
  if (Number.isFinite(total)) return total;
  throw new GraphError('CHANNEL_SCHEMA_VIOLATION', `its sum is beyond all numbers: ${a} and ${b} more`);
}
