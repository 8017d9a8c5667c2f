import { messageOf } from '../../graph/values/index.ts';
import { MAX_TEXTS, TextsRefusedError, VectorsUnusableError, toEmbeddedText } from './embedder.ts';
import type { Embedder } from './embedder.ts';
import type { Asked } from './memory-ranks.ts';
import type { MemoryVectors, UnembeddedEntry } from './memory-vectors.ts';

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
