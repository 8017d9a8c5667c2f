/** Returns the remembered value of a key, or makes and remembers it. */
export type Memo<T> = (key: string, make: () => T) => T;

/** Bounds of a memo. The size of an entry is the length of its key: what is made of a text grows with it. */
export interface MemoBounds {
  readonly maxEntries: number;
  readonly maxSize: number;
}

/**
 * Creates a memo. A full one is emptied: cheaper than tracking which value was used last. A value that would take more
 * than a tenth of it is not remembered.
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
