/** Returns the remembered value of a key, or makes and remembers it. */
export type Memo<T> = (key: string, make: () => T) => T;

/** Creates a memo of at most `maxEntries` values. A full one is emptied: cheaper than tracking which was used last. */
export function createMemo<T extends object>(maxEntries: number): Memo<T> {
  const entries = new Map<string, T>();
  return (key, make) => {
    const found = entries.get(key);
    if (found) return found;
    const made = make();
    if (entries.size >= maxEntries) entries.clear();
    entries.set(key, made);
    return made;
  };
}
