import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { messageOf } from '../../graph/values/index.ts';
import { MAX_TEXTS, TextsRefusedError, VectorsUnusableError, toEmbeddedText, toSqlVector } from './memory-vectors.ts';
import type { Embedder, MemoryVectors, UnembeddedEntry, Vector } from './memory-vectors.ts';
import { readPage } from '../page.ts';
import type { Tables } from '../tables.ts';
import { LISTED, askWords, liveEntries, toEntry } from './memory.ts';
import type { MemoryEntry, MemoryFilter } from './memory.ts';

/** What memory means to a configured model. Memory works without it: then entries are found by their words only. */
export interface Meaning {
  /** Makes the database ready. @throws VectorsMissingError if it can't hold vectors; another error if it is away */
  check(): Promise<void>;
  /**
   * Makes vectors of entries that have none of this model, some thousands of them at most.
   * @throws when the model can't be asked now
   */
  embedDue(stopping: AbortSignal): Promise<void>;
}

/** What those use who write and search memory. */
export interface OpenMeaning extends Meaning {
  /** Makes the vector of an entry. One that fails is left to `embedDue`. */
  embed(entry: UnembeddedEntry): Promise<void>;
  /** What a query means; `null`: the model can't be asked now. */
  ask(query: string): Promise<Asked | null>;
}

interface MeaningParts {
  readonly vectors: MemoryVectors;
  readonly embedder: Embedder;
  /** Is told what fails and goes on without. */
  readonly report: (problem: string) => void;
}

/** After a failure memory goes on by words for this time, so that a provider that hangs slows one request in it. */
const PAUSE_MS = 10_000;

/** Bounds one round, so that a process can end. */
const MAX_BATCHES = 100;

export function createMeaning({ vectors, embedder: asked, report }: MeaningParts): OpenMeaning {
  let isReady = false;
  let notBefore = 0;
  const check = async (): Promise<void> => {
    if (isReady) return;
    notBefore = Date.now() + PAUSE_MS;
    await vectors.prepare();
    [isReady, notBefore] = [true, 0];
  };
  const embedder: Embedder = {
    ...asked,
    async embed(texts) {
      try {
        const made = await asked.embed(texts);
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
    ask: async (query) =>
      await attempt(async () => {
        const { name, minSimilarity } = embedder;
        const [vector] = await embedder.embed([toEmbeddedText(query)]);
        return vector ? { name, minSimilarity, vector } : null;
      }),
  };
}

/** @returns if it is worth while to go on at once */
async function embedBatch({ vectors, embedder, report }: MeaningParts): Promise<boolean> {
  const entries = await vectors.claim(embedder.name, MAX_TEXTS);
  if (entries.length === 0) return false;
  const refusal = await refusalOf(async () => await embedAll(entries, vectors, embedder)).catch(
    async (error: unknown) => {
      if (error instanceof VectorsUnusableError) for (const entry of entries) await vectors.putOff(entry);
      throw error;
    },
  );
  if (refusal === null) return entries.length === MAX_TEXTS;
  let refused = 0;
  for (const entry of entries) {
    const reason = await refusalOf(async () => await embedAll([entry], vectors, embedder));
    if (reason === null) continue;
    refused++;
    await vectors.putOff(entry);
    report(`An entry of memory is found by its words only: ${reason}`);
  }
  // A model that refuses everything is configured wrongly.
  return refused < entries.length;
}

async function embedAll(
  entries: readonly UnembeddedEntry[],
  vectors: MemoryVectors,
  embedder: Embedder,
): Promise<void> {
  const made = await embedder.embed(entries.map(({ words }) => toEmbeddedText(words)));
  for (const [place, entry] of entries.entries()) {
    const vector = made[place];
    if (vector) await vectors.keep(entry, embedder.name, vector);
  }
}

/** Does work that a model may refuse. @returns why it does; `null`: it does not */
async function refusalOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof TextsRefusedError) return error.message;
    throw error;
  }
}

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
