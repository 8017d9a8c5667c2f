import type { Checkpoint, PageRequest, Run, State, Thread } from './answers.ts';
import type { Connection } from './connection.ts';
import { createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import { path } from './path.ts';
import type { CallOptions } from './send.ts';

/** Conversations across runs. */
export interface Threads {
  get(id: string, options?: CallOptions): Promise<Thread>;
  /** What the next run goes on from. */
  state(id: string, options?: CallOptions): Promise<State>;
  /** The newest first. */
  checkpoints(id: string, page?: PageRequest, options?: CallOptions): Listing<Checkpoint>;
  /** The newest first. */
  runs(id: string, page?: PageRequest, options?: CallOptions): Listing<Run>;
}

export function createThreads({ send }: Connection): Threads {
  return {
    get: async (id, options) => await send.json({ method: 'GET', path: path`/api/threads/${id}` }, options),
    state: async (id, options) => await send.json({ method: 'GET', path: path`/api/threads/${id}/state` }, options),
    checkpoints: (id, page, options) =>
      createListing(send, { path: path`/api/threads/${id}/checkpoints`, query: { ...page } }, options),
    runs: (id, page, options) =>
      createListing(send, { path: path`/api/threads/${id}/runs`, query: { ...page } }, options),
  };
}
