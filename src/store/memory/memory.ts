import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { IS_LIVE, LISTED, askWords, liveEntries } from './live-entries.ts';
import { toEntry } from './memory-entry.ts';
import type { MemoryEntry, MemoryFilter, MemoryKey } from './memory-entry.ts';
import { wordsOf } from './words-of.ts';

type Written = Pick<MemoryEntry, 'value' | 'expiresAt' | 'by' | 'runId'>;

/** The size of a value, as JSON. */
export const MAX_MEMORY_BYTES = 262_144;
/** The entries of a tenant. */
export const MAX_MEMORY_ENTRIES = 100_000;

/** Long-term memory (HTTP API, "Routes"). What has expired is not found by anything. */
export interface Memory {
  /**
   * Writes a value, in place of what was there.
   * @returns the entry, and if it is new; `null`: its tenant has enough of them
   */
  put(at: MemoryKey, written: Written): Promise<{ readonly entry: MemoryEntry; readonly isNew: boolean } | null>;
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

export function createMemory(db: Kysely<Tables>): Memory {
  const entries = (filter: MemoryFilter) => liveEntries(db, filter).selectAll();
  const find = async ({ key, ...at }: MemoryKey): Promise<MemoryEntry | null> => {
    const row = await entries({ ...at, prefix: '' })
      .where('key', '=', key)
      .executeTakeFirst();
    return row ? toEntry(row) : null;
  };
  return {
    async put(at, written) {
      const hasSpace =
        (await find(at)) !== null || (await count(db, at.tenantId, MAX_MEMORY_ENTRIES)) < MAX_MEMORY_ENTRIES;
      return hasSpace ? await put(db, at, written) : null;
    },
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

function deletionOf(db: Kysely<Tables>, { tenantId, namespace, key }: MemoryKey) {
  return db
    .deleteFrom('memory')
    .where('tenant_id', '=', tenantId)
    .where('namespace', '=', namespace)
    .where('key', '=', key);
}

async function count(db: Kysely<Tables>, tenantId: string, upTo: number): Promise<number> {
  const counted = db.selectFrom('memory').select('key').where('tenant_id', '=', tenantId).where(IS_LIVE).limit(upTo);
  const row = await db
    .selectFrom(counted.as('counted'))
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** So long a new value is left to its writer, who makes its vector where one is wanted. */
const WRITER_EMBEDS_WITHIN = '30 seconds';

async function put(
  db: Kysely<Tables>,
  at: MemoryKey,
  { value, expiresAt, by, runId }: Written,
): Promise<{ readonly entry: MemoryEntry; readonly isNew: boolean }> {
  const { tenantId, namespace, key } = at;
  const now = new Date().toISOString();
  const written = {
    value: JSON.stringify(value),
    words: wordsOf(key, value),
    updated_at: now,
    updated_by: by,
    updated_run: runId,
    expires_at: expiresAt,
    embedded_by: null,
    embed_after: sql<Date>`now() + ${WRITER_EMBEDS_WITHIN}::interval`,
  };
  return await db.transaction().execute(async (transaction) => {
    await deletionOf(transaction, at)
      .where(sql<boolean>`expires_at <= now()`)
      .execute();
    const row = await transaction
      .insertInto('memory')
      .values({ tenant_id: tenantId, namespace, key, created_at: now, ...written })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'namespace', 'key']).doUpdateSet(written))
      .returningAll()
      .returning(sql<boolean>`xmax = 0`.as('is_new'))
      .executeTakeFirstOrThrow();
    return { entry: toEntry(row), isNew: row.is_new };
  });
}
