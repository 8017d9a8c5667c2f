import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Tables } from '../tables.ts';
import type { MemoryFilter, MemoryRow } from './memory-entry.ts';

/** An entry of the table `memory` has not expired. */
export const IS_LIVE = sql<boolean>`(memory.expires_at is null or memory.expires_at > now())`;

/** The entries of a filter that have not expired. */
export function liveEntries(db: Kysely<Tables>, { tenantId, namespace, prefix }: MemoryFilter) {
  return db
    .selectFrom('memory')
    .where('memory.tenant_id', '=', tenantId)
    .where('memory.namespace', '=', namespace)
    .where(sql<boolean>`starts_with(memory.key, ${prefix})`)
    .where(IS_LIVE);
}

const WORDS = sql`to_tsvector('simple', words)`;

/** What PostgreSQL makes of the words of a query: which entries have them, and in which order, the best first. */
export function askWords(query: string): { readonly has: RawBuilder<boolean>; readonly order: RawBuilder<unknown> } {
  const asked = sql`websearch_to_tsquery('simple', ${query})`;
  return { has: sql<boolean>`${WORDS} @@ ${asked}`, order: sql`ts_rank(${WORDS}, ${asked}) desc, key` };
}

/** How a page of entries is read. */
export const LISTED = {
  payloads: ['value'] as const,
  positionOf: ({ key }: Pick<MemoryRow, 'key'>) => ({ at: '', id: key }),
};
