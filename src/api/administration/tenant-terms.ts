import type { QuotaTerms } from '../../store/column-values.ts';
import type { TenantTerms } from '../../store/tenant-terms.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { quotaInForce } from './require-may-start.ts';

/** The most tenants with terms of their own. */
const MAX_TENANTS = 1_000;

/**
 * The terms that a request sets. The configuration applies to absent quotas, and without `suspended`, a suspension is
 * not changed.
 */
interface WantedTerms {
  readonly tenantId: string;
  readonly runsPerMinute?: number | null | undefined;
  readonly costUsdPerDay?: number | null | undefined;
  readonly suspended?: { readonly reason: string } | null | undefined;
}

/**
 * Replaces the quotas of a tenant, and suspends it or ends its suspension. This takes effect in this process at once,
 * in others within seconds.
 * @throws ApiError 409 when too many tenants have terms
 */
export async function setTenantTerms(
  { store }: Pick<ApiDeps, 'store'>,
  { sub: changedBy }: Caller,
  { tenantId, runsPerMinute, costUsdPerDay, suspended }: WantedTerms,
): Promise<{ readonly terms: TenantTerms | null; readonly isNew: boolean }> {
  const changedAt = new Date().toISOString();
  const quota: QuotaTerms = {
    ...(runsPerMinute !== undefined && { runsPerMinute }),
    ...(costUsdPerDay !== undefined && { costUsdPerDay }),
  };
  const terms = {
    tenantId,
    quota,
    changedAt,
    changedBy,
    ...(suspended !== undefined && { suspended: suspended && { ...suspended, since: changedAt } }),
  };
  const written = await store.tenantTerms.put(terms, MAX_TENANTS);
  if (!written) throw new ApiError('TOO_MANY_KEPT', `Something may be said of ${MAX_TENANTS} tenants`);
  store.overrides.forget();
  return { terms: await store.tenantTerms.find(tenantId), ...written };
}

/** The terms of a tenant as the API returns them. @param terms `null` when administrators have set none */
export function toTenantJson(
  { quotaOf }: Pick<ApiDeps['settings'], 'quotaOf'>,
  tenantId: string,
  terms: TenantTerms | null,
) {
  return {
    id: tenantId,
    quotas: quotaInForce(quotaOf(tenantId), terms),
    suspended: terms?.suspended ?? null,
    changedAt: terms?.changedAt ?? null,
    changedBy: terms?.changedBy ?? null,
  };
}
