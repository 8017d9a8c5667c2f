/** A JSON value: the content of channels, events, calls and results. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The maximum nesting of JSON from outside: the bodies of requests and the payloads of signals. */
export const MAX_INPUT_DEPTH = 100;

/**
 * True if lists and objects are nested deeper than `levels`. It must not recurse, because deep values overflow the
 * stack.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let layer = [value].filter(isContainer);
  for (let depth = 0; layer.length > 0; depth += 1) {
    if (depth === levels) return true;
    layer = layer.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return false;
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns a list unchanged, and any other value as a list of one item. */
export function toItems(value: Json): readonly Json[] {
  return isJsonList(value) ? value : [value];
}

/** Returns the items of a list; none for any other value. */
export function itemsIn(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}

/** Returns the members of an object, with their names; none for any other value. */
export function membersIn(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/**
 * Returns a record's own member; `undefined` if there is none. Inherited members, such as `constructor`, don't count.
 */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Converts a value to the text that a template inserts: objects and lists as JSON, `null` as an empty text. */
export function toTemplateText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

/** Returns the name of a value's type. The value itself may be a secret. */
export function nameOfType(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : (TYPES_IN_WORDS[typeof value] ?? typeof value);
}

const TYPES_IN_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};
