/** Entries of a page that come in any order, of which those at its end are let go once there is no room for all. */
export interface PageBytes<T> {
  /** Whether the page may still hold the entry of a rank. */
  has(rank: number): boolean;
  put(rank: number, entry: T): void;
  /** The rank after the last that the page has room for. */
  end(): number;
  entries(): readonly T[];
}

/** @param bytes so much JSON does the page hold, or one entry that is larger */
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
