import { z } from 'zod';
import { TENANT_NAME } from '../process/tenant-name.ts';

/** The quota of one tenant; a field that is absent sets no limit. */
const QuotaFields = z.strictObject({
  /** The maximum number of new runs per clock minute, forks included. */
  runsPerMinute: z.int().min(0).optional(),
  /** The total cost of a day's runs (UTC) after which no more runs may start. */
  costUsdPerDay: z.number().min(0).optional(),
});

/** The checked quota of a tenant. */
type TenantQuota = z.output<typeof QuotaFields>;

/** The key of the quota for all tenants, which applies where a tenant's own entry sets no limit. */
const ALL = '*';

/** Quotas by the names of tenants. */
export const Tenants = z.record(z.string(), QuotaFields).superRefine((quotas, context) => {
  for (const name of Object.keys(quotas)) {
    if (name === ALL || TENANT_NAME.test(name)) continue;
    context.addIssue({ code: 'custom', path: [name], message: `must be the name of a tenant, or "${ALL}" for all` });
  }
});

/** A limit of a tenant, and the entry that sets it: the tenant's own, the one for all, or none. */
export interface ConfiguredLimit {
  /** `null` if there is no limit. */
  readonly limit: number | null;
  readonly source: 'tenant' | 'all' | 'none';
}

/** Each quota of a tenant. */
export type ConfiguredQuota = Readonly<Record<keyof TenantQuota, ConfiguredLimit>>;

/** The quota of a tenant: its own limits, and those of the entry for all where it has none. */
export function quotaOf(tenants: Readonly<Record<string, TenantQuota>>, tenantId: string): ConfiguredQuota {
  const own = Object.hasOwn(tenants, tenantId) ? tenants[tenantId] : undefined;
  const limitOf = (name: keyof TenantQuota): ConfiguredLimit => {
    const [ofTenant, ofAll] = [own?.[name], tenants[ALL]?.[name]];
    if (ofTenant !== undefined) return { limit: ofTenant, source: 'tenant' };
    return ofAll === undefined ? { limit: null, source: 'none' } : { limit: ofAll, source: 'all' };
  };
  return { runsPerMinute: limitOf('runsPerMinute'), costUsdPerDay: limitOf('costUsdPerDay') };
}
