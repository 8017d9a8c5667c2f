import type { Intervention, PageRequest } from './answers.ts';
import type { Connection } from './connection.ts';
import { createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions } from './send.ts';

/** The inbox of failed nodes and calls that wait for a person. `retry`, `skip` and `fail` of a run settle them. */
export interface Interventions {
  /** The newest first, over all runs. */
  list(page?: PageRequest, options?: CallOptions): Listing<Intervention>;
}

export function createInterventions({ send }: Connection): Interventions {
  return { list: (page, options) => createListing(send, { path: '/api/interventions', query: { ...page } }, options) };
}
