import { afterAll } from 'vitest';
import { openMemoryStore } from './memory-database.ts';
import type { MemoryStore } from './memory-database.ts';

/** Opens an empty store for all tests of a file. */
export async function useMemoryStore(): Promise<MemoryStore> {
  const store = await openMemoryStore();
  afterAll(() => store.close());
  return store;
}
