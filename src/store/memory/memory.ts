import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { LISTED, askWords, liveEntries } from './live-entries.ts';
import { toEntry } from './memory-entry.ts';
import type { MemoryEntry, MemoryFilter, MemoryKey } from './memory-entry.ts';
import { deletionOf, putEntry } from './put-entry.ts';
import type { PutEntry, Written } from './put-entry.ts';

/** The entries of a tenant. */
export const MAX_MEMORY_ENTRIES = 100_000;

/** Long-term memory (HTTP API, "Routes"). What has expired is not found by anything. */
export interface Memory {
  /**
   * Writes a value, in place of what was there.
   * @returns the entry, and if it is new; `null`: its tenant has enough of them
   */
  put(at: MemoryKey, written: Written): Promise<PutEntry | null>;
  find(at: MemoryKey): Promise<MemoryEntry | null>;
  /** Removes an entry; without one it changes nothing. */
  remove(at: MemoryKey): Promise<void>;
  /** Entries by key. */
  list(filter: MemoryFilter, page: PageRequest): Promise<Page<MemoryEntry>>;
  /** Entries with the words of a query, the best first: one page, which no other follows. */
  search(filter: MemoryFilter, query: string, limit: number): Promise<Page<MemoryEntry>>;
  /** Deletes what has expired. */
  forgetExpired(): Promise<void>;
}

/** @param most the entries that a tenant may have */
export function createMemory(db: Kysely<Tables>, most = MAX_MEMORY_ENTRIES): Memory {
  const entries = (filter: MemoryFilter) => liveEntries(db, filter).selectAll();
  const find = async ({ key, ...at }: MemoryKey): Promise<MemoryEntry | null> => {
    const row = await entries({ ...at, prefix: '' })
      .where('key', '=', key)
      .executeTakeFirst();
    return row ? toEntry(row) : null;
  };
  return {
    put: async (at, written) => await putEntry(db, { at, written }, most),
    find,
    remove: async (at) => void (await deletionOf(db, at).execute()),
    async list(filter, { limit, after }) {
      const rows = after ? entries(filter).where(sql<boolean>`key > ${after.id}`) : entries(filter);
      return mapPage(await readPage(db, rows, { ...LISTED, limit, order: sql`key` }), toEntry);
    },
    async search(filter, query, limit) {
      const { has, order } = askWords(query);
      const { items } = await readPage(db, entries(filter).where(has), { ...LISTED, limit, order });
      return { items: items.map(toEntry), next: null };
    },
    async forgetExpired() {
      await db
        .deleteFrom('memory')
        .where(sql<boolean>`expires_at <= now()`)
        .execute();
    },
  };
}
