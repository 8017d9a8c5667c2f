/** Gives back what was made for a key, or has it made. */
export type Memo<T> = (key: string, make: () => T) => T;

/** @param most are remembered at a time; when there are more, all are forgotten */
export function createMemo<T extends object>(most: number): Memo<T> {
  const known = new Map<string, T>();
  return (key, make) => {
    const found = known.get(key);
    if (found) return found;
    const made = make();
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
}
