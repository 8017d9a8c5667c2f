import type { z } from 'zod';
import type { HookSchema, NewHookSchema } from '../api/schemas/hook.ts';
import type { PageRequest } from './answers.ts';
import { createListing, path } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';

export type Hook = z.output<typeof HookSchema>;
export type NewHook = z.input<typeof NewHookSchema>;

/** Inbound webhooks: endpoints for signed messages of other systems. */
export interface Hooks {
  /** Stores a hook and replaces an earlier one. */
  put(id: string, hook: NewHook, options?: CallOptions): Promise<Hook>;
  get(id: string, options?: CallOptions): Promise<Hook>;
  /** Lists hooks by name. */
  list(filter?: PageRequest, options?: CallOptions): Listing<Hook>;
  remove(id: string, options?: CallOptions): Promise<void>;
}

export function createHooks({ send }: Connection): Hooks {
  return {
    put: async (id, body, options) => await send.json({ method: 'PUT', path: path`/api/hooks/${id}`, body }, options),
    get: async (id, options) => await send.json({ method: 'GET', path: path`/api/hooks/${id}` }, options),
    list: (filter, options) => createListing(send, { path: '/api/hooks', query: { ...filter } }, options),
    remove: async (id, options) =>
      void (await send.response({ method: 'DELETE', path: path`/api/hooks/${id}` }, options)),
  };
}
