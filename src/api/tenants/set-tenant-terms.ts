import type { QuotaTerms } from '../../store/rulings/rulings-tables.ts';
import type { TenantTerms } from '../../store/rulings/tenant-terms.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

/** The tenants of which administrators may say something. */
const MAX_TENANTS = 1_000;

/** What an administrator says of a tenant; what is absent is not said. */
interface WantedTerms {
  readonly tenantId: string;
  readonly runsPerMinute?: number | null | undefined;
  readonly costUsdPerDay?: number | null | undefined;
  readonly suspended?: { readonly reason: string } | null | undefined;
}

/**
 * Sets what a tenant may use up, in place of what was said before. It counts in this process at once, in others within
 * seconds.
 * @throws ApiError 409 when something is said of too many tenants
 */
export async function setTenantTerms(
  { store }: Pick<ApiDeps, 'store'>,
  { sub: changedBy }: Caller,
  { tenantId, runsPerMinute, costUsdPerDay, suspended = null }: WantedTerms,
): Promise<{ readonly terms: TenantTerms | null; readonly isNew: boolean }> {
  const changedAt = new Date().toISOString();
  const quota: QuotaTerms = {
    ...(runsPerMinute !== undefined && { runsPerMinute }),
    ...(costUsdPerDay !== undefined && { costUsdPerDay }),
  };
  const terms = { tenantId, quota, suspended: suspended && { ...suspended, since: changedAt }, changedAt, changedBy };
  const written = await store.tenantTerms.put(terms, MAX_TENANTS);
  if (!written) throw new ApiError('TOO_MANY_KEPT', `Something may be said of ${MAX_TENANTS} tenants`);
  store.rulings.forget();
  return { terms: await store.tenantTerms.find(tenantId), ...written };
}
