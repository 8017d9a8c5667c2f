import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import type { Json } from '../../graph/values/index.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import type { MemoryTable } from './memory-table.ts';
import { wordsOf } from './words-of.ts';

/** A value that outlives runs. */
export interface MemoryEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: Json;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** From then on it is not there; `null`: it stays. */
  readonly expiresAt: string | null;
  /** The subject that wrote it last. */
  readonly by: string;
  /** The run that wrote it last; `null`: a request did. */
  readonly runId: string | null;
}

export interface MemoryKey {
  readonly tenantId: string;
  readonly namespace: string;
  readonly key: string;
}

/** Which entries of a namespace a list has. */
export interface MemoryFilter {
  readonly tenantId: string;
  readonly namespace: string;
  /** What their keys begin with. */
  readonly prefix: string;
}

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

const IS_LIVE = sql<boolean>`(expires_at is null or expires_at > now())`;
const WORDS = sql`to_tsvector('simple', words)`;

export function createMemory(db: Kysely<Tables>): Memory {
  const entries = ({ tenantId, namespace, prefix }: MemoryFilter) =>
    db
      .selectFrom('memory')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('namespace', '=', namespace)
      .where(sql<boolean>`starts_with(key, ${prefix})`)
      .where(IS_LIVE);
  const find = async ({ key, ...at }: MemoryKey): Promise<MemoryEntry | null> => {
    const row = await entries({ ...at, prefix: '' })
      .where('key', '=', key)
      .executeTakeFirst();
    return row ? toEntry(row) : null;
  };
  const listed = { payloads: ['value'] as const, positionOf: ({ key }: MemoryRow) => ({ at: '', id: key }) };
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
      return mapPage(await readPage(db, rows, { ...listed, limit, order: sql`key` }), toEntry);
    },
    async search(filter, query, limit) {
      const asked = sql`websearch_to_tsquery('simple', ${query})`;
      const rows = entries(filter).where(sql<boolean>`${WORDS} @@ ${asked}`);
      const order = sql`ts_rank(${WORDS}, ${asked}) desc, key`;
      const { items } = await readPage(db, rows, { ...listed, limit, order });
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

type MemoryRow = Selectable<MemoryTable>;

function toEntry({
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
