import { isJsonObject } from './json.ts';

/** Checks if a value from outside, such as stored JSON, has a type. */
export type Guard<T> = (value: unknown) => value is T;

/** A guard for each field of an object type. The guard of an optional field accepts `undefined`. */
export type FieldGuards<T> = {
  readonly [Name in keyof T]-?: Guard<T[Name] | (object extends Pick<T, Name> ? undefined : never)>;
};

/** Makes a guard of objects. The type check requires all fields of the type, so none is asserted without a check. */
export function isObjectOf<T extends object>(guards: FieldGuards<T>): Guard<T> {
  const checks: readonly (readonly [string, Guard<unknown>])[] = Object.entries(guards);
  return (value): value is T =>
    isJsonObject(value) &&
    checks.every(([name, isRight]) => isRight(Object.hasOwn(value, name) ? value[name] : undefined));
}

export function isListOf<T>(isItem: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((item) => isItem(item));
}

/** Makes a guard that also accepts `null`. */
export function orNull<T>(guard: Guard<T>): Guard<T | null> {
  return (value): value is T | null => value === null || guard(value);
}

/** Makes a guard that also accepts an absent field. */
export function orAbsent<T>(guard: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

/** Makes a guard of one value. */
export function isExactly<const T extends string | boolean>(only: T): Guard<T> {
  return (value): value is T => value === only;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}
