/** Maps the values of a record; its keys stay. */
export function mapValues<A, B>(
  record: Readonly<Record<string, A>>,
  map: (value: A, key: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns one name, or a list of names, as a list. */
export function toList(names: string | readonly string[]): readonly string[] {
  return typeof names === 'string' ? [names] : names;
}

/** Adds a value to the list of a key, and creates the list if there is none. */
export function addToList<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/**
 * Deletes the oldest tenth of a map or set with more than `most` entries. Deleting many at once is faster, because
 * deleted entries leave gaps that every search for the oldest entry has to pass.
 */
export function forgetOldest(entries: Map<unknown, unknown> | Set<unknown>, most: number): void {
  if (entries.size <= most) return;
  let left = Math.ceil(most / 10);
  for (const key of entries.keys()) {
    if (left-- === 0) return;
    entries.delete(key);
  }
}

/** Copies an object without the members that are `null`, 0, or an empty list or object. */
export function withoutEmptyMembers<T extends object>(value: T): Partial<T> {
  const rest: Partial<T> = {};
  for (const key in value) if (!isEmpty(value[key])) rest[key] = value[key];
  return rest;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Returns the memoized value of a key, or makes and memoizes it. */
export type Memo<T> = (key: string, make: () => T) => T;

/**
 * Limits of a memo. The size of an entry is the length of its key, because what is made from a text grows with the
 * text.
 */
export interface MemoBounds {
  readonly maxEntries: number;
  readonly maxSize: number;
}

/**
 * Creates a memo. A full memo is emptied, which is cheaper than tracking the last use of each value. A value larger
 * than a tenth of the limit is not memoized.
 */
export function createMemo<T extends object>({ maxEntries, maxSize }: MemoBounds): Memo<T> {
  const entries = new Map<string, T>();
  let size = 0;
  return (key, make) => {
    const found = entries.get(key);
    if (found) return found;
    const made = make();
    if (key.length > maxSize / 10) return made;
    if (entries.size >= maxEntries || size + key.length > maxSize) {
      entries.clear();
      size = 0;
    }
    entries.set(key, made);
    size += key.length;
    return made;
  };
}
