import type { z } from 'zod';
import type { AdminRunListSchema, InspectedRunSchema, LedgerSchema } from '../../api/schemas/admin.ts';
import type { PageRequest } from '../answers.ts';
import type { Connection } from '../connection.ts';
import { createListing } from '../listing.ts';
import type { Listing } from '../listing.ts';
import { path } from '../path.ts';
import { toRunQuery } from '../run-filter.ts';
import type { RunFilter } from '../run-filter.ts';
import type { CallOptions } from '../send.ts';

export type AdminRun = z.output<typeof AdminRunListSchema>['items'][number];
export type InspectedRun = z.output<typeof InspectedRunSchema>;
export type LedgerRow = z.output<typeof LedgerSchema>['items'][number];

/** How many rows have outlived the retention, by what they are of. */
export type Pruned = Readonly<
  Record<'runs' | 'events' | 'checkpoints' | 'approvals' | 'ledger' | 'blobs', number> & { dryRun: boolean }
>;

export interface AdminRunFilter extends RunFilter {
  readonly tenantId?: string | undefined;
}

/** What administrators of an installation see and do. */
export interface Admin {
  /** The runs of all tenants, the newest first. */
  runs(filter?: AdminRunFilter, options?: CallOptions): Listing<AdminRun>;
  /** A run of any tenant with its first events and calls, and its activities in Temporal. */
  run(id: string, options?: CallOptions): Promise<InspectedRun>;
  /** The calls of a run of any tenant, ordered by their keys. */
  ledger(id: string, page?: PageRequest, options?: CallOptions): Listing<LedgerRow>;
  /** Forgets what has outlived the retention. @param prune with `dryRun` it only counts */
  prune(prune: { readonly dryRun: boolean }, options?: CallOptions): Promise<Pruned>;
}

export function createAdmin({ send }: Connection): Admin {
  return {
    runs: ({ tenantId, ...filter } = {}, options) =>
      createListing(send, { path: '/admin/runs', query: { ...toRunQuery(filter), tenantId } }, options),
    run: async (id, options) => await send.json({ method: 'GET', path: path`/admin/runs/${id}` }, options),
    ledger: (id, page, options) =>
      createListing(send, { path: path`/admin/runs/${id}/ledger`, query: { ...page } }, options),
    prune: async (body, options) => await send.json({ method: 'POST', path: '/admin/prune', body }, options),
  };
}
