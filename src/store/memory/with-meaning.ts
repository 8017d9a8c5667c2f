import type { Store } from '../store.ts';
import type { Embedder } from './memory-vectors.ts';
import { wordsOf } from './memory.ts';
import type { Memory } from './memory.ts';
import { createMeaning } from './meaning.ts';
import type { OpenMeaning, MemoryRanks } from './meaning.ts';

/**
 * Has memory searched by words and by meaning.
 * @param embedder the model of meanings; `null`: memory stays as it is
 * @param report is told what fails and goes on without
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

/** The places of each order that are fused. */
const CANDIDATES = 200;

/** A query that says which words there must be, or must not be, is one of words alone. */
const ABOUT_WORDS = /"|(?:^|\s)-/;

function searchedByMeaning(memory: Memory, ranks: MemoryRanks, meaning: OpenMeaning): Memory {
  return {
    ...memory,
    async put(at, written) {
      const done = await memory.put(at, written);
      if (done) await meaning.embed({ ...at, words: wordsOf(at.key, written.value) });
      return done;
    },
    async search(filter, query, limit) {
      const asked = ABOUT_WORDS.test(query) ? null : await meaning.ask(query);
      if (!asked) return await memory.search(filter, query, limit);
      const orders = await Promise.all([
        ranks.byWords(filter, query, CANDIDATES),
        ranks.byMeaning(filter, asked, CANDIDATES),
      ]);
      return { items: await ranks.pick(filter, fuseRanks(orders).slice(0, limit)), next: null };
    },
  };
}

/** How little the first places of a list count more than later ones; the value of Cormack, Clarke and Büttcher (SIGIR 2009). */
const RANK_CONSTANT = 60;

/**
 * Makes one order of several by reciprocal rank fusion: what stands far ahead in one, or well in many, comes first.
 * @param lists keys, the best first; each list has a key once
 * @returns every key once. Equal keys are in the order of their characters, so the same lists give the same order
 */
export function fuseRanks(lists: readonly (readonly string[])[]): readonly string[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [place, key] of list.entries())
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RANK_CONSTANT + place + 1));
  return [...scores]
    .toSorted(([key, score], [other, otherScore]) => otherScore - score || (key < other ? -1 : 1))
    .map(([key]) => key);
}
