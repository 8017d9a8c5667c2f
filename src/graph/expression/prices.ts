import { MAX_DEPTH } from '../values/json.ts';
import { priceOfText } from '../values/meter.ts';

/** Price of reading a whole value. Objects are measured once. @throws RangeError for values over 200 levels deep */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return priceOfText(value);
  return isObject(value) ? measure(value, 0).weight : 1;
}

/** Price of making a value on top of its parts: its own characters or elements. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return priceOfText(value);
  if (Array.isArray(value)) return 1 + value.length;
  return ArrayBuffer.isView(value) ? 1 + value.byteLength : 1;
}

interface Measure {
  readonly weight: number;
  readonly levels: number;
  /** The items that a list had: lists of channels grow in place. 0 for other values. */
  readonly length: number;
}

const measures = new WeakMap<object, Measure>();

/** Each walk over a value recurses, so its depth is limited. */
function measure(value: object, depth: number): Measure {
  const known = knownMeasure(value);
  if (depth + (known?.levels ?? 0) > MAX_DEPTH) throw new RangeError(`a value is nested over ${MAX_DEPTH} levels`);
  if (known) return known;
  let weight = ownWeight(value);
  let levels = 0;
  for (const member of membersOf(value)) {
    if (!isObject(member)) {
      weight += typeof member === 'string' ? priceOfText(member) : 1;
      continue;
    }
    const inner = measure(member, depth + 1);
    weight = Math.min(weight + inner.weight, Number.MAX_SAFE_INTEGER);
    levels = Math.max(levels, inner.levels + 1);
  }
  const measured = { weight, levels, length: lengthOf(value) };
  measures.set(value, measured);
  return measured;
}

function knownMeasure(value: object): Measure | undefined {
  const known = measures.get(value);
  return known?.length === lengthOf(value) ? known : undefined;
}

function lengthOf(value: object): number {
  return Array.isArray(value) ? value.length : 0;
}

/** The listing of keys takes longer than that of items. */
function ownWeight(value: object): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Array.isArray(value) ? 1 : 1 + KEY_PRICE * sizeOfMap(value);
}

/** The number of members of an object or a map. */
export function sizeOfMap(value: object): number {
  return value instanceof Map ? value.size : Object.keys(value).length;
}

/** Price of a key when the keys of an object are listed. */
export const KEY_PRICE = 4;

function membersOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  return ArrayBuffer.isView(value) ? [] : Object.values(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
