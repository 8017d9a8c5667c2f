/**
 * Gives out texts, each once.
 * @param copyOf writes a wanted text so that it differs from its other copies, which are counted from 1
 * @returns gives the first copy of a wanted text that it has not given yet
 */
export function createDistinctTexts(copyOf: (wanted: string, copy: number) => string): (wanted: string) => string {
  const taken = new Set<string>();
  const nextCopies = new Map<string, number>();
  return (wanted) => {
    let copy = nextCopies.get(wanted) ?? 1;
    while (taken.has(copyOf(wanted, copy))) copy += 1;
    nextCopies.set(wanted, copy + 1);
    const text = copyOf(wanted, copy);
    taken.add(text);
    return text;
  };
}
