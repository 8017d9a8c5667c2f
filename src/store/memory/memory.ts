import { sql } from 'kysely';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables, MemoryTable } from '../tables.ts';
import { remainingBytes, isJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { ROW_COUNT, oneAtATime } from '../database/run-statement.ts';

/** The most entries of a tenant. */
export const MAX_MEMORY_ENTRIES = 100_000;

/** Long-term memory (docs/memory.md). Expired entries are never returned. */
export interface Memory {
  /**
   * Creates or replaces a value.
   * @returns the entry, and whether it is new; `null` when the tenant has reached its limit
   */
  put(at: MemoryKey, written: MemoryContent): Promise<{ readonly entry: MemoryEntry; readonly isNew: boolean } | null>;
  find(at: MemoryKey): Promise<MemoryEntry | null>;
  /** Removes an entry if it exists. */
  remove(at: MemoryKey): Promise<void>;
  /** Lists entries by key. */
  list(filter: MemoryFilter, page: PageRequest): Promise<Page<MemoryEntry>>;
  /** Lists entries that contain the words of a query, best first, in a single page. */
  search(filter: MemoryFilter, query: string, limit: number): Promise<Page<MemoryEntry>>;
  /** Deletes expired entries. */
  forgetExpired(): Promise<void>;
}

/** @param most the most entries that a tenant may have @internal */
export function createMemory(db: Kysely<Tables>, most = MAX_MEMORY_ENTRIES): Memory {
  const entries = (filter: MemoryFilter) => liveEntries(db, filter).selectAll();
  return {
    async put(at, written) {
      const put = { at, columns: memoryColumnsOf(at, written) };
      const row =
        (await replaceEntry(db, put)) ??
        // New entries of a tenant are added one at a time, so that their count is exact.
        (await oneAtATime(
          db,
          `memory of ${at.tenantId}`,
          async (transaction) => await addEntry(transaction, put, most),
        ));
      return row && { entry: toMemoryEntry(row), isNew: row.is_new };
    },
    async find({ key, ...at }) {
      const row = await entries({ ...at, prefix: '' })
        .where('key', '=', key)
        .executeTakeFirst();
      return row ? toMemoryEntry(row) : null;
    },
    remove: async (at) => void (await deleteStatement(db, at).execute()),
    async list(filter, { limit, after }) {
      const rows = after ? entries(filter).where(sql<boolean>`key > ${after.id}`) : entries(filter);
      return mapPage(await readPage(db, rows, { ...ENTRY_LISTING, limit, order: sql`key` }), toMemoryEntry);
    },
    async search(filter, query, limit) {
      const { matches, order } = fullTextSearch(query);
      const { items } = await readPage(db, entries(filter).where(matches), { ...ENTRY_LISTING, limit, order });
      return { items: items.map(toMemoryEntry), next: null };
    },
    async forgetExpired() {
      await db
        .deleteFrom('memory')
        .where(sql<boolean>`expires_at <= now()`)
        .execute();
    },
  };
}

/** Selects rows of `memory` that have not expired. @internal */
export const IS_LIVE = sql<boolean>`(memory.expires_at is null or memory.expires_at > now())`;

/** Selects the entries of a filter that have not expired. @internal */
export function liveEntries(db: Kysely<Tables>, { tenantId, namespace, prefix }: MemoryFilter) {
  return db
    .selectFrom('memory')
    .where('memory.tenant_id', '=', tenantId)
    .where('memory.namespace', '=', namespace)
    .where(sql<boolean>`starts_with(memory.key, ${prefix})`)
    .where(IS_LIVE);
}

const WORDS = sql`to_tsvector('simple', words)`;

/** Builds the full-text condition and order for the words of a query, the best match first. @internal */
export function fullTextSearch(query: string) {
  const words = sql`websearch_to_tsquery('simple', ${query})`;
  return { matches: sql<boolean>`${WORDS} @@ ${words}`, order: sql`ts_rank(${WORDS}, ${words}) desc, key` };
}

/** How a page of entries is read. @internal */
export const ENTRY_LISTING = {
  payloads: ['value'] as const,
  positionOf: ({ key }: Pick<MemoryRow, 'key'>) => ({ at: '', id: key }),
};

/** A value that outlives runs. */
export interface MemoryEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: Json;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The entry is deleted at this time; `null` when it does not expire. */
  readonly expiresAt: string | null;
  /** The subject that wrote it last. */
  readonly by: string;
  /** The run that wrote it last; `null` when a request did. */
  readonly runId: string | null;
}

export interface MemoryKey {
  readonly tenantId: string;
  readonly namespace: string;
  readonly key: string;
}

/** Selects entries of a namespace. */
export interface MemoryFilter {
  readonly tenantId: string;
  readonly namespace: string;
  /** The prefix of their keys. */
  readonly prefix: string;
}

/** @internal */
export type MemoryRow = Selectable<MemoryTable>;

/** @internal */
export function toMemoryEntry({
  namespace,
  key,
  value,
  created_at,
  updated_at,
  expires_at,
  updated_by,
  updated_run,
}: MemoryRow): MemoryEntry {
  return {
    namespace,
    key,
    value,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
    expiresAt: expires_at?.toISOString() ?? null,
    by: updated_by,
    runId: updated_run,
  };
}

export type MemoryContent = Pick<MemoryEntry, 'value' | 'expiresAt' | 'by' | 'runId'>;

/** The writer of a value has this time to embed it; after that, other processes may do so. */
const WRITER_EMBEDS_WITHIN = '30 seconds';

function memoryColumnsOf({ key }: MemoryKey, { value, expiresAt, by, runId }: MemoryContent) {
  return {
    value: JSON.stringify(value),
    words: searchableWordsOf(key, value),
    updated_at: new Date().toISOString(),
    updated_by: by,
    updated_run: runId,
    expires_at: expiresAt,
    embedded_by: null,
    embed_after: sql<Date>`now() + ${WRITER_EMBEDS_WITHIN}::interval`,
  };
}

interface PutEntry {
  readonly at: MemoryKey;
  readonly columns: ReturnType<typeof memoryColumnsOf>;
}

type PutRow = MemoryRow & { readonly is_new: boolean };

/** Replaces an entry that has not expired. */
async function replaceEntry(db: Kysely<Tables>, { at, columns }: PutEntry): Promise<PutRow | undefined> {
  return await db
    .updateTable('memory')
    .set(columns)
    .where('tenant_id', '=', at.tenantId)
    .where('namespace', '=', at.namespace)
    .where('key', '=', at.key)
    .where(IS_LIVE)
    .returningAll()
    .returning(sql<boolean>`false`.as('is_new'))
    .executeTakeFirst();
}

/**
 * Adds an entry, or replaces it when another writer has added it meanwhile.
 * @returns `null` when the limit is reached
 */
async function addEntry(db: Transaction<Tables>, put: PutEntry, most: number): Promise<PutRow | null> {
  const { at, columns } = put;
  const { tenantId, namespace, key } = at;
  const replaced = await replaceEntry(db, put);
  if (replaced) return replaced;
  if ((await countEntries(db, tenantId, most)) >= most) return null;
  await deleteStatement(db, at).execute();
  return await db
    .insertInto('memory')
    .values({ tenant_id: tenantId, namespace, key, created_at: columns.updated_at, ...columns })
    .returningAll()
    .returning(sql<boolean>`true`.as('is_new'))
    .executeTakeFirstOrThrow();
}

/** Deletes an entry, even if it has expired. */
function deleteStatement(db: Kysely<Tables>, { tenantId, namespace, key }: MemoryKey) {
  return db
    .deleteFrom('memory')
    .where('tenant_id', '=', tenantId)
    .where('namespace', '=', namespace)
    .where('key', '=', key);
}

async function countEntries(db: Kysely<Tables>, tenantId: string, upTo: number): Promise<number> {
  const counted = db.selectFrom('memory').select('key').where('tenant_id', '=', tenantId).where(IS_LIVE).limit(upTo);
  return (await db.selectFrom(counted.as('counted')).select(ROW_COUNT).executeTakeFirstOrThrow()).count;
}

/** The most bytes of a value, as JSON. */
const MAX_MEMORY_BYTES = 262_144;

/** Returns the reason why a value is too large for memory; `null` when it is small enough. */
export function tooLargeForMemory(value: Json): string | null {
  return remainingBytes(MAX_MEMORY_BYTES, value) < 0 ? `The value has more than ${MAX_MEMORY_BYTES} bytes` : null;
}

/** PostgreSQL refuses to index more than 1 MiB of words. */
const MAX_CHARACTERS = 100_000;

/**
 * Returns the searchable text of an entry: its key, and the strings and numbers of its value, up to 100,000 characters.
 */
export function searchableWordsOf(key: string, value: Json): string {
  const words = [key];
  let left = MAX_CHARACTERS - key.length;
  const open: Json[] = [value];
  while (open.length > 0 && left > 0) {
    const next = open.pop();
    if (typeof next === 'string' || typeof next === 'number') {
      const word = String(next).slice(0, left);
      words.push(word);
      left -= word.length + 1;
    } else for (const inner of valuesIn(next).toReversed()) open.push(inner);
  }
  return words.join(' ');
}

function valuesIn(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value;
  return value !== undefined && isJsonObject(value) ? Object.values(value) : [];
}
