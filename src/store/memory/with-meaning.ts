import type { Store } from '../store.ts';
import type { Embedder } from './embedder.ts';
import { searchableWordsOf } from './memory.ts';
import type { Memory } from './memory.ts';
import { createMeaning } from './meaning.ts';
import type { SearchByMeaning, MemoryRanks } from './meaning.ts';

/**
 * Adds semantic search to the memory of a store.
 * @param embedder the embedding model; with `null`, the store is returned unchanged
 * @param report receives the failures that are tolerated
 */
export function withMeaning<S extends Store>(
  store: S,
  embedder: Embedder | null,
  report: (problem: string) => void,
): S {
  if (!embedder) return store;
  const meaning = createMeaning({ vectors: store.memoryVectors, embedder, report });
  const memory = searchedByMeaning(store.memory, store.memoryRanks, meaning);
  return { ...store, meaning, memory };
}

/** The number of candidates of each ranking that are fused. */
const CANDIDATES = 200;

/** Queries that require or exclude words are searched by words only. */
const ABOUT_WORDS = /"|(?:^|\s)-/;

function searchedByMeaning(memory: Memory, ranks: MemoryRanks, meaning: SearchByMeaning): Memory {
  return {
    ...memory,
    async put(at, written) {
      const done = await memory.put(at, written);
      if (done) await meaning.embed({ ...at, words: searchableWordsOf(at.key, written.value) });
      return done;
    },
    async search(filter, query, limit) {
      const embedded = ABOUT_WORDS.test(query) ? null : await meaning.embedQuery(query);
      if (!embedded) return await memory.search(filter, query, limit);
      const orders = await Promise.all([
        ranks.byWords(filter, query, CANDIDATES),
        ranks.byMeaning(filter, embedded, CANDIDATES),
      ]);
      return { items: await ranks.pick(filter, fuseRanks(orders).slice(0, limit)), next: null };
    },
  };
}

/**
 * Reduces the weight of the first ranks compared to later ones; the value of Cormack, Clarke and Büttcher (SIGIR 2009).
 */
const RANK_CONSTANT = 60;

/**
 * Merges rankings by reciprocal rank fusion: a key that is high in one list or well ranked in many comes first.
 * @param lists keys, best first, without duplicates in a list
 * @returns every key once. Keys with equal scores are in lexical order, so that the result is deterministic
 */
export function fuseRanks(lists: readonly (readonly string[])[]): readonly string[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [index, key] of list.entries())
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RANK_CONSTANT + index + 1));
  return [...scores]
    .toSorted(([key, score], [other, otherScore]) => otherScore - score || (key < other ? -1 : 1))
    .map(([key]) => key);
}
