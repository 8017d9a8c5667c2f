import type { TenantTerms } from '../../store/rulings/tenant-terms.ts';
import type { ApiDeps } from '../deps.ts';
import { quotaInForce } from './quota-in-force.ts';

/** A tenant as administrators see it. @param terms `null`: none of them has said anything */
export function shownTenant(
  { quotaOf }: Pick<ApiDeps['settings'], 'quotaOf'>,
  { tenantId, terms }: { readonly tenantId: string; readonly terms: TenantTerms | null },
) {
  return {
    id: tenantId,
    quotas: quotaInForce(quotaOf(tenantId), terms),
    suspended: terms?.suspended ?? null,
    changedAt: terms?.changedAt ?? null,
    changedBy: terms?.changedBy ?? null,
  };
}
