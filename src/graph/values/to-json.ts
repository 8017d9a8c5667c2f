import { isKeptInteger } from './decimal.ts';
import { toPointer } from './json-pointer.ts';
import { isContainer, isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** Converts an object that is neither list nor record to a JSON-like value; `undefined` if it can't. */
export type ForeignConverter = (value: object) => unknown;

/** Counts a copy while it is made. Each method may throw. */
export interface CopyBudget {
  takeText(text: string): void;
  takeKey(key: string): void;
  takeScalar(): void;
  takeContainer(): void;
}

/** Options of a copy. */
export interface CopyOptions {
  /** Converts objects that JSON can't represent. */
  readonly foreign?: ForeignConverter;
  /** Counts the copy while it is made. */
  readonly budget?: CopyBudget;
}

/**
 * Copies a value as JSON would represent it: `toJSON` is called, and object members that are `undefined` are dropped.
 * @throws NotJsonError naming the part at fault: `undefined` in a list, `NaN`, bytes, a function, over 200 levels
 * @throws GraphError when the budget is used up
 */
export function toJson(value: unknown, options: CopyOptions = {}): Json {
  return copyAsJson(value, 0, options);
}

/** Copies an object as JSON would represent it. @throws as `toJson`, and for an object whose JSON is not an object */
export function toJsonObject(value: object): JsonObject {
  const json = toJson(value);
  if (!isJsonObject(json)) throw new NotJsonError('a list, not an object,');
  return json;
}

function copyAsJson(value: unknown, depth: number, options: CopyOptions): Json {
  if (isContainer(value)) return copyObject(value, depth, options);
  const scalar = toJsonScalar(value);
  if (typeof scalar === 'string') options.budget?.takeText(scalar);
  else options.budget?.takeScalar();
  return scalar;
}

function toJsonScalar(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJsonError(String(value));
      return value;
    case 'bigint':
      return toSafeNumber(value);
    default:
      if (value === null) return null;
      throw new NotJsonError(typeof value);
  }
}

/** @throws NotJsonError for an integer that a double does not keep */
function toSafeNumber(integer: bigint): number {
  const number = Number(integer);
  if (!Number.isFinite(number)) throw new NotJsonError('an integer beyond 1.8e308');
  if (!isKeptInteger(String(integer)))
    throw new NotJsonError(`the integer ${integer}, which a JSON number does not keep,`);
  return number;
}

function copyObject(value: object, depth: number, options: CopyOptions): Json {
  if (depth >= MAX_JSON_DEPTH) throw new NotJsonError(`a value nested over ${MAX_JSON_DEPTH} levels (or a cycle)`);
  if (ArrayBuffer.isView(value)) throw new NotJsonError('bytes');
  if (Array.isArray(value)) {
    options.budget?.takeContainer();
    return Array.from(value, (item, index) => copyUnder(index, () => copyAsJson(item, depth + 1, options)));
  }
  return isPlainObject(value) && !hasToJson(value)
    ? copyRecord(value, depth, options)
    : copyForeign(value, depth, options);
}

function copyRecord(value: object, depth: number, options: CopyOptions): Json {
  options.budget?.takeContainer();
  const result: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    options.budget?.takeKey(key);
    const copied = copyUnder(key, () => copyAsJson(member, depth + 1, options));
    setOwn(result, key, copied);
  }
  return result;
}

/** True for object literals and instances of plain classes; false for maps, sets, promises and the like. */
function isPlainObject(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function hasToJson(value: object): value is { toJSON: () => unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function copyForeign(value: object, depth: number, options: CopyOptions): Json {
  const converted = options.foreign?.(value);
  const standIn = converted === undefined && hasToJson(value) ? value.toJSON() : converted;
  if (standIn === undefined) throw new NotJsonError(value.constructor.name);
  return copyAsJson(standIn, depth + 1, options);
}

function copyUnder(key: string | number, copyMember: () => Json): Json {
  try {
    return copyMember();
  } catch (error) {
    throw error instanceof NotJsonError ? error.within(key) : error;
  }
}

/** Sets a member. A key named `__proto__` is defined, because assigning it would set the prototype. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Deeper values are refused, because every traversal of a value recurses. */
export const MAX_JSON_DEPTH = 200;

/** A part of a value that can't be represented in JSON. */
class NotJsonError extends Error {
  readonly #path: (string | number)[] = [];
  readonly #part: string;

  constructor(part: string) {
    super();
    this.#part = part;
    this.#describe();
  }

  /** Adds the key of the container around the part. It is called while the error passes outwards. */
  within(key: string | number): this {
    this.#path.unshift(key);
    this.#describe();
    return this;
  }

  #describe(): void {
    this.message = `${this.#part} at ${toPointer(this.#path) || 'the top'} is no JSON value`;
  }
}
