import type { TenantUse } from '../../store/inspection/tenant-use.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { quotaInForce } from './quota-in-force.ts';
import type { QuotaInForce } from './quota-in-force.ts';
import { dayAt, minuteAt } from './quota-windows.ts';
import type { QuotaWindow } from './quota-windows.ts';

interface NewRunOfTenant {
  readonly tenantId: string;
  /** The id of the run, which may have been accepted before; it does not count against itself. */
  readonly id: string;
}

/**
 * Refuses a new run of a tenant that is suspended, or has used up its quota; a tenant without one is not counted. Requests
 * of one moment don't see each other, so the quota may be exceeded by their number.
 * @throws ApiError 403 `TENANT_SUSPENDED`; 429, with the time after which the next minute or day begins
 */
export async function requireQuota(
  { store, settings }: Pick<ApiDeps, 'store' | 'settings'>,
  { tenantId, id }: NewRunOfTenant,
  nowMs = Date.now(),
): Promise<void> {
  const terms = (await store.rulings.now()).tenants.get(tenantId) ?? null;
  if (terms?.suspended)
    throw new ApiError('TENANT_SUSPENDED', `The tenant may start no runs: ${terms.suspended.reason}`);
  const quota = quotaInForce(settings.quotaOf(tenantId), terms);
  if (quota.runsPerMinute.limit === null && quota.costUsdPerDay.limit === null) return;
  const [minute, day] = [minuteAt(nowMs), dayAt(nowMs)];
  const costSince = quota.costUsdPerDay.limit === null ? minute.since : day.since;
  const use = await store.readTenantUse({ tenantId, runsSince: minute.since, costSince, besides: id });
  const excess = excessOf(quota, use, { minute, day });
  if (!excess) return;
  const { detail, window } = excess;
  throw new ApiError('QUOTA_REACHED', detail, { headers: { 'retry-after': String(window.endsInSeconds) } });
}

interface Excess {
  readonly detail: string;
  readonly window: QuotaWindow;
}

/** @returns the quota that is used up, the one that lasts longer first; `null` if none is */
function excessOf(
  quota: QuotaInForce,
  { runs, costUsd }: TenantUse,
  { minute, day }: Readonly<Record<'minute' | 'day', QuotaWindow>>,
): Excess | null {
  const costUsdPerDay = quota.costUsdPerDay.limit ?? Infinity;
  const runsPerMinute = quota.runsPerMinute.limit ?? Infinity;
  if (costUsd >= costUsdPerDay)
    return {
      detail: `The runs of the tenant have cost ${costUsdPerDay} USD today (UTC), which is its quota`,
      window: day,
    };
  if (runs >= runsPerMinute)
    return { detail: `The tenant may start ${runsPerMinute} runs in a minute`, window: minute };
  return null;
}
