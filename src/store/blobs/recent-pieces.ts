/** The memory that pieces take which are kept to be read again. */
const MAX_BYTES = 64 * 1_048_576;

/** Pieces that were written or read lately: the next execution of a workflow reads what the last one has written. */
export interface RecentPieces {
  find(digest: string): Uint8Array | null;
  add(digest: string, data: Uint8Array): void;
}

export function createRecentPieces(maxBytes = MAX_BYTES): RecentPieces {
  /** The one that was used longest ago first. */
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  const remove = (digest: string): Uint8Array | null => {
    const data = kept.get(digest) ?? null;
    kept.delete(digest);
    bytes -= data?.length ?? 0;
    return data;
  };
  const add = (digest: string, data: Uint8Array): void => {
    kept.set(digest, data);
    bytes += data.length;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) return;
      remove(oldest);
    }
  };
  return {
    find(digest) {
      const data = remove(digest);
      if (data) add(digest, data);
      return data;
    },
    add(digest, data) {
      // A part of a larger buffer would keep all of it in memory.
      const own = remove(digest) ?? data.slice();
      add(digest, own);
    },
  };
}
