/** Entries of a page that are added in any order; entries at its end are dropped when the page is too large. */
export interface PageBytes<T> {
  /** True while the page has space for the entry of a rank. */
  has(rank: number): boolean;
  put(rank: number, entry: T): void;
  /** The rank after the last entry on the page. */
  end(): number;
  entries(): readonly T[];
}

/** @param bytes the limit of the page's JSON; one larger entry is allowed */
export function createPageBytes<T>(length: number, bytes: number): PageBytes<T> {
  const kept = new Map<number, { readonly entry: T; readonly bytes: number }>();
  const page = { end: length, bytes: 0 };
  const dropLast = (): void => {
    page.end -= 1;
    page.bytes -= kept.get(page.end)?.bytes ?? 0;
    kept.delete(page.end);
  };
  return {
    has: (rank) => rank < page.end,
    put(rank, entry) {
      const size = Buffer.byteLength(JSON.stringify(entry));
      kept.set(rank, { entry, bytes: size });
      page.bytes += size;
      while (page.bytes > bytes && page.end > 1) dropLast();
    },
    end: () => page.end,
    entries: () => [...kept.entries()].toSorted(([a], [b]) => a - b).map(([, { entry }]) => entry),
  };
}
