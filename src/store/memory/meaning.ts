import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { messageOf } from '../../graph/values/index.ts';
import { toSqlVector } from './memory-vectors.ts';
import { MAX_TEXTS, TextsRefusedError, VectorsUnusableError, toEmbeddedText } from './embedder.ts';
import type { MemoryVectors, UnembeddedEntry } from './memory-vectors.ts';
import type { Embedder, EmbeddingVector } from './embedder.ts';
import { readPage } from '../page.ts';
import type { Tables } from '../tables.ts';
import { ENTRY_LISTING, fullTextSearch, liveEntries, toMemoryEntry } from './memory.ts';
import type { MemoryEntry, MemoryFilter } from './memory.ts';

/** Semantic search in memory with a configured model. Without a model, entries are found by their words only. */
export interface SemanticSearch {
  /**
   * Prepares the database.
   * @throws VectorsMissingError if it can't store vectors; another error if it is unavailable
   */
  check(): Promise<void>;
  /** Embeds entries that have no vector of this model, up to some thousands. @throws when the model is unavailable */
  embedDue(stopping: AbortSignal): Promise<void>;
}

/** The part that reads and writes of memory use. */
export interface SearchByMeaning extends SemanticSearch {
  /** Embeds an entry. After a failure, `embedDue` does it later. */
  embed(entry: UnembeddedEntry): Promise<void>;
  /** Embeds a query; `null` when the model is unavailable. */
  embedQuery(query: string): Promise<EmbeddedQuery | null>;
}

interface MeaningParts {
  readonly vectors: MemoryVectors;
  readonly embedder: Embedder;
  /** Receives the failures that are tolerated. */
  readonly report: (problem: string) => void;
}

/**
 * After a failure, memory searches by words only for this time, so that an unresponsive provider delays only one
 * request in it.
 */
const PAUSE_MS = 10_000;

/** Limits one round, so that the process can stop. */
const MAX_BATCHES = 100;

export function createMeaning({ vectors, embedder: configured, report }: MeaningParts): SearchByMeaning {
  let isReady = false;
  let notBefore = 0;
  const check = async (): Promise<void> => {
    if (isReady) return;
    notBefore = Date.now() + PAUSE_MS;
    await vectors.prepare();
    [isReady, notBefore] = [true, 0];
  };
  const embedder: Embedder = {
    ...configured,
    async embed(texts) {
      try {
        const made = await configured.embed(texts);
        notBefore = 0;
        return made;
      } catch (error) {
        if (!(error instanceof TextsRefusedError)) notBefore = Date.now() + PAUSE_MS;
        throw error;
      }
    },
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (Date.now() < notBefore) return null;
    try {
      await check();
      return await work();
    } catch (error) {
      report(messageOf(error));
      return null;
    }
  };
  return {
    check,
    async embedDue(stopping) {
      await check();
      for (let batch = 0; batch < MAX_BATCHES && !stopping.aborted; batch++)
        if (!(await embedBatch({ vectors, embedder, report }))) return;
    },
    embed: async (entry) => void (await attempt(async () => await embedAll([entry], vectors, embedder))),
    embedQuery: async (query) =>
      await attempt(async () => {
        const { name, minSimilarity } = embedder;
        const [vector] = await embedder.embed([toEmbeddedText(query)]);
        return vector ? { name, minSimilarity, vector } : null;
      }),
  };
}

/** Embeds a batch. @returns true if another batch should follow at once */
async function embedBatch({ vectors, embedder, report }: MeaningParts): Promise<boolean> {
  const entries = await vectors.claim(embedder.name, MAX_TEXTS);
  if (entries.length === 0) return false;
  const refusal = await reasonOfRefusedTexts(async () => await embedAll(entries, vectors, embedder)).catch(
    async (error: unknown) => {
      if (error instanceof VectorsUnusableError) for (const entry of entries) await vectors.putOff(entry);
      throw error;
    },
  );
  if (refusal === null) return entries.length === MAX_TEXTS;
  let refused = 0;
  for (const entry of entries) {
    const reason = await reasonOfRefusedTexts(async () => await embedAll([entry], vectors, embedder));
    if (reason === null) continue;
    refused++;
    await vectors.putOff(entry);
    report(`An entry of memory is found by its words only: ${reason}`);
  }
  // If the model refuses all texts, its configuration is wrong.
  return refused < entries.length;
}

async function embedAll(
  entries: readonly UnembeddedEntry[],
  vectors: MemoryVectors,
  embedder: Embedder,
): Promise<void> {
  const made = await embedder.embed(entries.map(({ words }) => toEmbeddedText(words)));
  for (const [index, entry] of entries.entries()) {
    const vector = made[index];
    if (vector) await vectors.keep(entry, embedder.name, vector);
  }
}

/** Executes work that the model may refuse. @returns the reason of the refusal, or `null` */
async function reasonOfRefusedTexts(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof TextsRefusedError) return error.message;
    throw error;
  }
}

/** Ranks the entries of a namespace as lists of keys, and reads the entries of such a list. */
export interface MemoryRanks {
  /** Lists entries that contain the words of a query, best first. */
  byWords(filter: MemoryFilter, query: string, limit: number): Promise<readonly string[]>;
  /** Lists entries by the similarity of their vectors of this model to the query's vector, most similar first. */
  byMeaning(filter: MemoryFilter, query: EmbeddedQuery, limit: number): Promise<readonly string[]>;
  /** Reads the entries of some keys in their order, as far as they still exist and fit into a page. */
  pick(filter: MemoryFilter, keys: readonly string[]): Promise<readonly MemoryEntry[]>;
}

/** The embedding of a query. */
export interface EmbeddedQuery extends Pick<Embedder, 'name' | 'minSimilarity'> {
  readonly vector: EmbeddingVector;
}

/**
 * @returns reads that compare all vectors of a namespace, because an approximate index finds fewer entries under a
 * filter
 * @internal
 */
export function createMemoryRanks(db: Kysely<Tables>): MemoryRanks {
  return {
    async byWords(filter, query, limit) {
      const { matches, order } = fullTextSearch(query);
      const rows = liveEntries(db, filter).select('memory.key').where(matches).orderBy(order).limit(limit);
      return (await rows.execute()).map(({ key }) => key);
    },
    async byMeaning(filter, { name, minSimilarity, vector }, limit) {
      // Vectors of an older configuration have another length, and a query plan may compare them before the join
      // excludes them.
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
        // The distance of a zero vector is NaN, which PostgreSQL orders above all numbers.
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
      const { items } = await readPage(db, rows, { ...ENTRY_LISTING, limit: keys.length, order });
      return items.map(toMemoryEntry);
    },
  };
}
