import { toJsonObject } from '../graph/values/index.ts';

/** The same type, with members that may be `undefined`, which JSON omits. */
type Loose<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/**
 * Copies a value as JSON; the copy has the same type.
 * @throws NotJsonError, which names the path, for values that are not JSON
 */
export function jsonCopy<T extends object>(value: Loose<T>): T;
export function jsonCopy(value: object): object {
  return toJsonObject(value);
}
