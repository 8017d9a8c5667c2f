import type { TenantQuota } from '../../config/tenants.ts';
import type { TenantUse } from '../../store/inspection/tenant-use.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { dayAt, minuteAt } from './quota-windows.ts';
import type { QuotaWindow } from './quota-windows.ts';

interface NewRunOfTenant {
  readonly tenantId: string;
  /** The id of the run, which may have been accepted before; it does not count against itself. */
  readonly id: string;
}

/**
 * Refuses a new run of a tenant that has used up its quota; a tenant without one is not counted. Requests of one moment
 * don't see each other, so the quota may be exceeded by their number.
 * @throws ApiError 429, with the time after which the next minute or day begins
 */
export async function requireQuota(
  { store, settings }: Pick<ApiDeps, 'store' | 'settings'>,
  { tenantId, id }: NewRunOfTenant,
  nowMs = Date.now(),
): Promise<void> {
  const quota = settings.quotaOf(tenantId);
  if (quota.runsPerMinute === undefined && quota.costUsdPerDay === undefined) return;
  const [minute, day] = [minuteAt(nowMs), dayAt(nowMs)];
  const costSince = quota.costUsdPerDay === undefined ? minute.since : day.since;
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
  { costUsdPerDay = Infinity, runsPerMinute = Infinity }: TenantQuota,
  { runs, costUsd }: TenantUse,
  { minute, day }: Readonly<Record<'minute' | 'day', QuotaWindow>>,
): Excess | null {
  if (costUsd >= costUsdPerDay)
    return {
      detail: `The runs of the tenant have cost ${costUsdPerDay} USD today (UTC), which is its quota`,
      window: day,
    };
  if (runs >= runsPerMinute)
    return { detail: `The tenant may start ${runsPerMinute} runs in a minute`, window: minute };
  return null;
}
