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
  const held = new Map<number, { readonly entry: T; readonly bytes: number }>();
  const room = { end: length, bytes: 0 };
  const dropLast = (): void => {
    room.end -= 1;
    room.bytes -= held.get(room.end)?.bytes ?? 0;
    held.delete(room.end);
  };
  return {
    has: (rank) => rank < room.end,
    put(rank, entry) {
      const size = Buffer.byteLength(JSON.stringify(entry));
      held.set(rank, { entry, bytes: size });
      room.bytes += size;
      while (room.bytes > bytes && room.end > 1) dropLast();
    },
    end: () => room.end,
    entries: () => [...held.entries()].toSorted(([a], [b]) => a - b).map(([, { entry }]) => entry),
  };
}
