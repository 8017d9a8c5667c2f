import type { Store } from '../store.ts';
import type { Embedder } from './embedder.ts';
import { fuseRanks } from './fuse-ranks.ts';
import type { Memory } from './memory.ts';
import { createMeaning } from './meaning.ts';
import type { OpenMeaning } from './meaning.ts';
import type { MemoryRanks } from './memory-ranks.ts';
import { wordsOf } from './words-of.ts';

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
