import type { z } from 'zod';
import type {
  AdminRunListSchema,
  AuditQuery,
  AuditSchema,
  InspectedRunSchema,
  LedgerSchema,
  NewSwitchSchema,
  NewTenantTermsSchema,
  SwitchSchema,
  TenantSchema,
} from '../api/schemas/admin.ts';
import type { PageRequest } from './answers.ts';
import { createListing, toPath, toRunQuery } from './listing.ts';
import type { Listing, RunFilter } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';

export type AdminRun = z.output<typeof AdminRunListSchema>['items'][number];
export type InspectedRun = z.output<typeof InspectedRunSchema>;
export type LedgerRow = z.output<typeof LedgerSchema>['items'][number];

/** Deletes data that is older than the retention; with `dryRun` it only counts the data. */
export interface PruneRequest {
  readonly dryRun: boolean;
}

/** The number of rows past the retention, by kind. */
export type Pruned = PruneRequest &
  Readonly<Record<'runs' | 'events' | 'checkpoints' | 'approvals' | 'ledger' | 'blobs', number>>;

export interface AdminRunFilter extends RunFilter {
  readonly tenantId?: string | undefined;
}

export type Tenant = z.output<typeof TenantSchema>;
export type TenantTerms = z.input<typeof NewTenantTermsSchema>;
export type Switch = z.output<typeof SwitchSchema>;
export type NewSwitch = Pick<Switch, 'kind' | 'name'> & z.input<typeof NewSwitchSchema>;
export type AuditEntry = z.output<typeof AuditSchema>['items'][number];

/** The filter of audit entries; times are RFC 3339. */
export type AuditFilter = Readonly<Omit<z.input<typeof AuditQuery>, 'cursor' | 'limit'>>;

/** Operations for administrators of an installation. */
export interface Admin {
  /** The runs of all tenants, the newest first. */
  runs(filter?: AdminRunFilter, options?: CallOptions): Listing<AdminRun>;
  /** A run of any tenant with its first events and calls, and its activities in Temporal. */
  run(id: string, options?: CallOptions): Promise<InspectedRun>;
  /** Lists the calls of a run of any tenant, ordered by key. */
  ledger(id: string, page?: PageRequest, options?: CallOptions): Listing<LedgerRow>;
  /** Deletes data that is older than the retention, or only counts it. */
  prune(prune: PruneRequest, options?: CallOptions): Promise<Pruned>;
  /** Lists the audit entries of HTTP requests, newest first. */
  audit(filter?: AuditFilter, options?: CallOptions): Listing<AuditEntry>;
  /** Lists the tenants for which an administrator has set terms. */
  tenants(page?: PageRequest, options?: CallOptions): Listing<Tenant>;
  /** Returns the quotas of a tenant and where each is set. */
  tenant(id: string, options?: CallOptions): Promise<Tenant>;
  /** Sets the quotas of a tenant or suspends it. This replaces earlier terms. */
  setTenant(id: string, terms: TenantTerms, options?: CallOptions): Promise<Tenant>;
  /** Removes the terms of a tenant: the configuration applies again. */
  removeTenant(id: string, options?: CallOptions): Promise<void>;
  switches(page?: PageRequest, options?: CallOptions): Listing<Switch>;
  /** Disables a tool, model or code, or enables it again. */
  setSwitch(wanted: NewSwitch, options?: CallOptions): Promise<Switch>;
  /** Removes a switch, which enables the tool, model or code again. */
  removeSwitch(which: Pick<Switch, 'kind' | 'name'>, options?: CallOptions): Promise<void>;
}

export function createAdmin({ send }: Connection): Admin {
  return {
    runs: ({ tenantId, ...filter } = {}, options) =>
      createListing(send, { path: '/admin/runs', query: { ...toRunQuery(filter), tenantId } }, options),
    run: async (id, options) => await send.json({ method: 'GET', path: toPath`/admin/runs/${id}` }, options),
    ledger: (id, page, options) =>
      createListing(send, { path: toPath`/admin/runs/${id}/ledger`, query: { ...page } }, options),
    prune: async (body, options) => await send.json({ method: 'POST', path: '/admin/prune', body }, options),
    audit: (filter, options) => createListing(send, { path: '/admin/audit', query: { ...filter } }, options),
    tenants: (page, options) => createListing(send, { path: '/admin/tenants', query: { ...page } }, options),
    tenant: async (id, options) => await send.json({ method: 'GET', path: toPath`/admin/tenants/${id}` }, options),
    setTenant: async (id, body, options) =>
      await send.json({ method: 'PUT', path: toPath`/admin/tenants/${id}`, body }, options),
    removeTenant: async (id, options) =>
      void (await send.response({ method: 'DELETE', path: toPath`/admin/tenants/${id}` }, options)),
    switches: (page, options) => createListing(send, { path: '/admin/switches', query: { ...page } }, options),
    setSwitch: async ({ kind, name, ...body }, options) =>
      await send.json({ method: 'PUT', path: toPath`/admin/switches/${kind}/${name}`, body }, options),
    removeSwitch: async ({ kind, name }, options) =>
      void (await send.response({ method: 'DELETE', path: toPath`/admin/switches/${kind}/${name}` }, options)),
  };
}
