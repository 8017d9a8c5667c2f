import { toJsonObject } from '../graph/values/index.ts';

/** The same type, with members that may be `undefined`: as JSON they are left out. */
type Loose<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/**
 * Copies a value as JSON would write it; what is JSON has the same type afterwards.
 * @throws NotJsonError, which names the path, for what is no JSON
 */
export function jsonCopy<T extends object>(value: Loose<T>): T;
export function jsonCopy(value: object): object {
  return toJsonObject(value);
}
