import type { PageRequest, Tool } from './answers.ts';
import type { Connection } from './connection.ts';
import { createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions } from './send.ts';

/** The tools of the installation. */
export interface Tools {
  list(page?: PageRequest, options?: CallOptions): Listing<Tool>;
}

export function createTools({ send }: Connection): Tools {
  return { list: (page, options) => createListing(send, { path: '/api/tools', query: { ...page } }, options) };
}
