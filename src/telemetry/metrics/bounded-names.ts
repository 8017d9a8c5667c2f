/** Values of one label that are told apart. All others share a series. */
const MAX_NAMES = 100;

/** In characters. */
const MAX_LENGTH = 100;

const OTHER = 'other';

/** Keeps the number of series small, whatever strangers call their graphs and tools. */
export interface BoundedNames {
  /** @returns the value, or `other` when the label has had enough values before */
  bound(label: string, value: string): string;
}

export function createBoundedNames(): BoundedNames {
  const known = new Map<string, Set<string>>();
  return {
    bound(label, value) {
      const name = value.slice(0, MAX_LENGTH);
      let names = known.get(label);
      if (!names) known.set(label, (names = new Set()));
      if (names.has(name)) return name;
      if (names.size >= MAX_NAMES) return OTHER;
      names.add(name);
      return name;
    },
  };
}
