import type { z } from 'zod';
import type { CallOptions, Connection } from './send.ts';
import { toPath, createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import type { MemorySchema, NewMemorySchema } from '../api/schemas/memory.ts';
import type { PageRequest } from './answers.ts';

export type MemoryEntry = z.output<typeof MemorySchema>;

export type NewMemory = z.input<typeof NewMemorySchema> & Pick<MemoryEntry, 'key'>;

export interface MemoryFilter extends PageRequest {
  /** Only entries whose keys begin with this prefix. */
  readonly prefix?: string | undefined;
  /** Words to search for; the best entries come first, on one page. */
  readonly query?: string | undefined;
}

/** Long-term memory of the tenant, separate from the state of runs. */
export interface MemoryCalls {
  /** Stores a value under a key and replaces an earlier one. */
  put(namespace: string, entry: NewMemory, options?: CallOptions): Promise<MemoryEntry>;
  get(namespace: string, key: string, options?: CallOptions): Promise<MemoryEntry>;
  remove(namespace: string, key: string, options?: CallOptions): Promise<void>;
  list(namespace: string, filter?: MemoryFilter, options?: CallOptions): Listing<MemoryEntry>;
}

export function createMemoryCalls({ send }: Connection): MemoryCalls {
  return {
    put: async (namespace, { key, ...body }, options) =>
      await send.json({ method: 'PUT', path: toPath`/api/memory/${namespace}/${key}`, body }, options),
    get: async (namespace, key, options) =>
      await send.json({ method: 'GET', path: toPath`/api/memory/${namespace}/${key}` }, options),
    remove: async (namespace, key, options) =>
      void (await send.response({ method: 'DELETE', path: toPath`/api/memory/${namespace}/${key}` }, options)),
    list: (namespace, filter, options) =>
      createListing(send, { path: toPath`/api/memory/${namespace}`, query: { ...filter } }, options),
  };
}
