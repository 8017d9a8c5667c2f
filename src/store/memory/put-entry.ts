import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import { oneAtATime } from '../database/one-at-a-time.ts';
import type { Tables } from '../tables.ts';
import { IS_LIVE } from './live-entries.ts';
import { toEntry } from './memory-entry.ts';
import type { MemoryEntry, MemoryKey, MemoryRow } from './memory-entry.ts';
import { wordsOf } from './words-of.ts';

export type Written = Pick<MemoryEntry, 'value' | 'expiresAt' | 'by' | 'runId'>;

export interface PutEntry {
  readonly entry: MemoryEntry;
  readonly isNew: boolean;
}

/**
 * Writes a value, in place of what was there. Only new entries of a tenant wait for each other, so that they can be counted.
 * @param most the entries that a tenant may have
 * @returns `null`: the tenant has as many, and nothing is written
 */
export async function putEntry(
  db: Kysely<Tables>,
  { at, written }: { readonly at: MemoryKey; readonly written: Written },
  most: number,
): Promise<PutEntry | null> {
  const put = { at, columns: columnsOf(at, written) };
  const row =
    (await replace(db, put)) ??
    (await oneAtATime(db, `memory of ${at.tenantId}`, async (transaction) => await add(transaction, put, most)));
  return row && { entry: toEntry(row), isNew: row.is_new };
}

/** The time that the writer of a value has to make its vector, if one is wanted. Then others may make it. */
const WRITER_EMBEDS_WITHIN = '30 seconds';

function columnsOf({ key }: MemoryKey, { value, expiresAt, by, runId }: Written) {
  return {
    value: JSON.stringify(value),
    words: wordsOf(key, value),
    updated_at: new Date().toISOString(),
    updated_by: by,
    updated_run: runId,
    expires_at: expiresAt,
    embedded_by: null,
    embed_after: sql<Date>`now() + ${WRITER_EMBEDS_WITHIN}::interval`,
  };
}

interface Put {
  readonly at: MemoryKey;
  readonly columns: ReturnType<typeof columnsOf>;
}

type PutRow = MemoryRow & { readonly is_new: boolean };

/** Writes over an entry that has not expired. */
async function replace(db: Kysely<Tables>, { at, columns }: Put): Promise<PutRow | undefined> {
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

/** Adds an entry, unless another writer has done so since. */
async function add(db: Transaction<Tables>, put: Put, most: number): Promise<PutRow | null> {
  const { at, columns } = put;
  const { tenantId, namespace, key } = at;
  const replaced = await replace(db, put);
  if (replaced) return replaced;
  if ((await count(db, tenantId, most)) >= most) return null;
  await deletionOf(db, at).execute();
  return await db
    .insertInto('memory')
    .values({ tenant_id: tenantId, namespace, key, created_at: columns.updated_at, ...columns })
    .returningAll()
    .returning(sql<boolean>`true`.as('is_new'))
    .executeTakeFirstOrThrow();
}

/** The deletion of an entry, also of one that has expired. */
export function deletionOf(db: Kysely<Tables>, { tenantId, namespace, key }: MemoryKey) {
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
