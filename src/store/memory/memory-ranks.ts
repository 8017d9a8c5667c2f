import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { readPage } from '../page.ts';
import type { Tables } from '../tables.ts';
import type { Embedder, Vector } from './embedder.ts';
import { LISTED, askWords, liveEntries } from './live-entries.ts';
import { toEntry } from './memory-entry.ts';
import type { MemoryEntry, MemoryFilter } from './memory-entry.ts';
import { toSqlVector } from './memory-vectors.ts';

/** Orders of the entries of a namespace, as keys, and the entries of such an order. */
export interface MemoryRanks {
  /** Entries with the words of a query, the best first. */
  byWords(filter: MemoryFilter, query: string, limit: number): Promise<readonly string[]>;
  /** Entries whose vectors of this model point as a vector does, the most alike first. */
  byMeaning(filter: MemoryFilter, asked: Asked, limit: number): Promise<readonly string[]>;
  /** The entries of some keys, in their order, as far as they are still there and a page takes them. */
  pick(filter: MemoryFilter, keys: readonly string[]): Promise<readonly MemoryEntry[]>;
}

/** What a query means to a model. */
export interface Asked extends Pick<Embedder, 'name' | 'minSimilarity'> {
  readonly vector: Vector;
}

/** @returns reads that compare all vectors of a namespace: an approximate index would find less in a filter */
export function createMemoryRanks(db: Kysely<Tables>): MemoryRanks {
  return {
    async byWords(filter, query, limit) {
      const { has, order } = askWords(query);
      const rows = liveEntries(db, filter).select('memory.key').where(has).orderBy(order).limit(limit);
      return (await rows.execute()).map(({ key }) => key);
    },
    async byMeaning(filter, { name, minSimilarity, vector }, limit) {
      // Vectors of an older setting have another length, and a plan may compare them before the join leaves them out.
      const distance = sql<number>`case when vector_dims(memory_vectors.vector) = ${vector.length}
        then memory_vectors.vector <=> ${toSqlVector(vector)}::vector end`;
      const near = liveEntries(db, filter)
        .innerJoin('memory_vectors', (join) =>
          join
            .onRef('memory_vectors.tenant_id', '=', 'memory.tenant_id')
            .onRef('memory_vectors.namespace', '=', 'memory.namespace')
            .onRef('memory_vectors.key', '=', 'memory.key'),
        )
        .select(['memory.key', distance.as('distance')])
        .where('memory.embedded_by', '=', name);
      const rows = db
        .selectFrom(near.as('near'))
        .select('key')
        // A vector of zeros points nowhere: its distance is NaN, which is more than any number.
        .where('distance', '<=', 1 - minSimilarity)
        .orderBy('distance')
        .orderBy('key')
        .limit(limit);
      return (await rows.execute()).map(({ key }) => key);
    },
    async pick(filter, keys) {
      const rows = liveEntries(db, filter)
        .selectAll()
        .where(sql<boolean>`memory.key = any(${keys}::text[])`);
      const order = sql`array_position(${keys}::text[], key)`;
      const { items } = await readPage(db, rows, { ...LISTED, limit: keys.length, order });
      return items.map(toEntry);
    },
  };
}
