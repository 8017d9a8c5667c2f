import { z } from 'zod';
import { TENANT_NAME } from '../process/process-options.ts';

/** What one tenant may use up; what is not said is not limited. */
const Quota = z.strictObject({
  /** New runs, forks included, in each minute of the clock. */
  runsPerMinute: z.int().min(0).optional(),
  /** What the runs that begin on a day (UTC) may cost until no more of them begin. */
  costUsdPerDay: z.number().min(0).optional(),
});

/** What a tenant may use up in a time. */
type TenantQuota = z.output<typeof Quota>;

/** The key of what holds for all tenants, where they are not named or their own entry says nothing. */
const ALL = '*';

/** Quotas by the names of tenants. */
export const Tenants = z.record(z.string(), Quota).superRefine((given, context) => {
  for (const name of Object.keys(given)) {
    if (name === ALL || TENANT_NAME.test(name)) continue;
    context.addIssue({ code: 'custom', path: [name], message: `must be the name of a tenant, or "${ALL}" for all` });
  }
});

/** A limit of a tenant, and the entry that sets it: the tenant's own, that of all, or none. */
export interface ConfiguredLimit {
  /** `null`: it is not limited. */
  readonly limit: number | null;
  readonly source: 'tenant' | 'all' | 'none';
}

/** Each quota of a tenant. */
export type ConfiguredQuota = Readonly<Record<keyof TenantQuota, ConfiguredLimit>>;

/** The quota of a tenant: its own, and of what that does not say the one of all. */
export function quotaOf(tenants: Readonly<Record<string, TenantQuota>>, tenantId: string): ConfiguredQuota {
  const own = Object.hasOwn(tenants, tenantId) ? tenants[tenantId] : undefined;
  const limitOf = (name: keyof TenantQuota): ConfiguredLimit => {
    const [ofTenant, ofAll] = [own?.[name], tenants[ALL]?.[name]];
    if (ofTenant !== undefined) return { limit: ofTenant, source: 'tenant' };
    return ofAll === undefined ? { limit: null, source: 'none' } : { limit: ofAll, source: 'all' };
  };
  return { runsPerMinute: limitOf('runsPerMinute'), costUsdPerDay: limitOf('costUsdPerDay') };
}
