import type { CallOptions, Connection } from './send.ts';
import { toPath, createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import type { ChatMessage, ChatPage, PageRequest, Checkpoint, Run, State, Thread } from './answers.ts';

/** Conversations across runs. */
export interface Threads {
  get(id: string, options?: CallOptions): Promise<Thread>;
  /** Returns the state from which the next run continues. */
  state(id: string, options?: CallOptions): Promise<State>;
  /** Lists the checkpoints, newest first. */
  checkpoints(id: string, page?: PageRequest, options?: CallOptions): Listing<Checkpoint>;
  /** Lists the runs, newest first. */
  runs(id: string, page?: PageRequest, options?: CallOptions): Listing<Run>;
  /**
   * Returns the newest messages of a chat, in their order, for the `messages` of `useChat`. Those before them: with
   * `before`, the `metadata.runId` of the first one.
   * @typeParam Message `UIMessage` of the package `ai`, whose types this package does not contain
   */
  messages<Message = ChatMessage>(id: string, page?: ChatPage, options?: CallOptions): Promise<Message[]>;
}

export function createThreads({ send }: Connection): Threads {
  return {
    get: async (id, options) => await send.json({ method: 'GET', path: toPath`/api/threads/${id}` }, options),
    state: async (id, options) => await send.json({ method: 'GET', path: toPath`/api/threads/${id}/state` }, options),
    checkpoints: (id, page, options) =>
      createListing(send, { path: toPath`/api/threads/${id}/checkpoints`, query: { ...page } }, options),
    runs: (id, page, options) =>
      createListing(send, { path: toPath`/api/threads/${id}/runs`, query: { ...page } }, options),
    messages: async (id, page, options) =>
      await send.json({ method: 'GET', path: toPath`/api/chat/${id}/messages`, query: { ...page } }, options),
  };
}
