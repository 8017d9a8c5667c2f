import { toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { Memory, MemoryEntry } from '../store/memory/memory.ts';
import type { SimulatedClock } from '../simulation/timeline.ts';

/** Entries of long-term memory: the values by namespace and key. */
export type TestMemory = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Long-term memory that a test holds, with its content as plain values. */
export interface HeldMemory extends Memory {
  content(): TestMemory;
}

/**
 * Creates a memory by the test's clock. A search finds the entries that contain all words of the query, those that
 * contain them most often first; it does not search by meaning.
 * @param initial what earlier runs have saved
 */
export function createTestMemory(initial: TestMemory, clock: Pick<SimulatedClock, 'now'>): HeldMemory {
  const entries = new Map<string, MemoryEntry>();
  const now = (): string => new Date(clock.now).toISOString();
  const live = (): readonly MemoryEntry[] =>
    [...entries.values()].filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > clock.now);
  const within = ({ namespace, prefix }: { readonly namespace: string; readonly prefix: string }) =>
    live()
      .filter((entry) => entry.namespace === namespace && entry.key.startsWith(prefix))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const save = (namespace: string, key: string, written: Pick<MemoryEntry, 'value' | 'expiresAt' | 'by' | 'runId'>) => {
    const id = entryId(namespace, key);
    const known = live().find((entry) => entryId(entry.namespace, entry.key) === id);
    const entry = { namespace, key, createdAt: known?.createdAt ?? now(), updatedAt: now(), ...written };
    entries.set(id, entry);
    return { entry, isNew: known === undefined };
  };
  for (const [namespace, values] of Object.entries(initial))
    for (const [key, value] of Object.entries(values))
      save(namespace, key, { value: toJson(value), expiresAt: null, by: 'test', runId: null });
  return {
    put: async ({ namespace, key }, written) => save(namespace, key, written),
    find: async ({ namespace, key }) => within({ namespace, prefix: key }).find((entry) => entry.key === key) ?? null,
    remove: async ({ namespace, key }) => void entries.delete(entryId(namespace, key)),
    list: async (filter, { limit }) => ({ items: within(filter).slice(0, limit), next: null }),
    search: async (filter, query, limit) => ({ items: bestMatches(within(filter), query).slice(0, limit), next: null }),
    forgetExpired: async () => undefined,
    content() {
      const held = live();
      const valuesIn = (namespace: string) =>
        Object.fromEntries(held.filter((one) => one.namespace === namespace).map(({ key, value }) => [key, value]));
      return Object.fromEntries(held.map(({ namespace }) => [namespace, valuesIn(namespace)]));
    },
  };
}

function entryId(namespace: string, key: string): string {
  return JSON.stringify([namespace, key]);
}

function bestMatches(entries: readonly MemoryEntry[], query: string): readonly MemoryEntry[] {
  const wanted = wordsOf(query);
  const counted = entries.map((entry) => {
    const words = wordsOf(`${entry.key} ${JSON.stringify(entry.value)}`);
    return { entry, counts: wanted.map((word) => words.filter((other) => other === word).length) };
  });
  const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  return counted
    .filter(({ counts }) => counts.every((count) => count > 0))
    .toSorted((a, b) => total(b.counts) - total(a.counts))
    .map(({ entry }) => entry);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
