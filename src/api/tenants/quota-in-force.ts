import type { ConfiguredLimit, ConfiguredQuota } from '../../config/tenants.ts';
import type { TenantTerms } from '../../store/rulings/tenant-terms.ts';

/** A limit that counts now, and who says it. */
export interface LimitInForce {
  /** `null`: it is not limited. */
  readonly limit: number | null;
  /** `admin`: an administrator; else the configuration, by the entry of the tenant or of all. */
  readonly source: 'admin' | ConfiguredLimit['source'];
}

/** The quotas of a tenant that count now. */
export type QuotaInForce = Readonly<Record<keyof ConfiguredQuota, LimitInForce>>;

/** What an administrator says wins over the configuration, quota by quota. */
export function quotaInForce(configured: ConfiguredQuota, terms: Pick<TenantTerms, 'quota'> | null): QuotaInForce {
  const limitOf = (name: keyof ConfiguredQuota): LimitInForce => {
    const limit = terms?.quota[name];
    return limit === undefined ? configured[name] : { limit, source: 'admin' };
  };
  return { runsPerMinute: limitOf('runsPerMinute'), costUsdPerDay: limitOf('costUsdPerDay') };
}
