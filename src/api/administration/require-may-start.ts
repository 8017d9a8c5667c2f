import type { TenantUse } from '../../store/tenant-use.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError, retryAfter } from '../http/errors.ts';
import type { ConfiguredLimit, ConfiguredQuota } from '../../config/tenants.ts';
import type { TenantTerms } from '../../store/tenant-terms.ts';
import { findSwitchedOff } from '../../store/known-overrides.ts';
import { DAY_MS, MINUTE_MS } from '../../graph/values/index.ts';

interface NewRunOfTenant {
  readonly tenantId: string;
  /** The id of the run. If an earlier attempt has accepted it, it is not counted against the quota. */
  readonly id: string;
}

/**
 * Refuses a new run of a tenant that is suspended or has used up its quota. Concurrent requests do not see each other's
 * runs, so the quota may be exceeded by their number.
 * @throws ApiError 403 `TENANT_SUSPENDED`; 429 with the seconds until the next minute or day
 */
export async function requireMayStart(
  { store, settings }: Pick<ApiDeps, 'store' | 'settings'>,
  { tenantId, id }: NewRunOfTenant,
  nowMs = Date.now(),
): Promise<void> {
  const terms = (await store.overrides.now()).tenants.get(tenantId) ?? null;
  if (terms?.suspended)
    throw new ApiError('TENANT_SUSPENDED', `The tenant may start no runs: ${terms.suspended.reason}`);
  const quota = quotaInForce(settings.quotaOf(tenantId), terms);
  if (quota.runsPerMinute.limit === null && quota.costUsdPerDay.limit === null) return;
  const [minute, day] = [minuteWindowAt(nowMs), dayWindowAt(nowMs)];
  const costSince = quota.costUsdPerDay.limit === null ? minute.since : day.since;
  const use = await store.readTenantUse({ tenantId, runsSince: minute.since, costSince, exceptRunId: id });
  const excess = findExceededQuota(quota, use, { minute, day });
  if (!excess) return;
  const { detail, window } = excess;
  throw retryAfter(window.endsInSeconds, 'QUOTA_REACHED', detail);
}

interface ExceededQuota {
  readonly detail: string;
  readonly window: QuotaWindow;
}

/** @returns the quota that is used up, the longer one first; `null` if none is */
function findExceededQuota(
  quota: QuotaInForce,
  { runs, costUsd }: TenantUse,
  { minute, day }: Readonly<Record<'minute' | 'day', QuotaWindow>>,
): ExceededQuota | null {
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

/** A limit in force, and where it comes from. */
export interface LimitInForce {
  /** `null` when there is no limit. */
  readonly limit: number | null;
  /** `admin` for an administrator's setting; otherwise the configuration entry, of the tenant or of all tenants. */
  readonly source: 'admin' | ConfiguredLimit['source'];
}

/** The quotas in force for a tenant. */
export type QuotaInForce = Readonly<Record<keyof ConfiguredQuota, LimitInForce>>;

/** Administrators' settings override the configuration, quota by quota. */
export function quotaInForce(configured: ConfiguredQuota, terms: Pick<TenantTerms, 'quota'> | null): QuotaInForce {
  const limitOf = (name: keyof ConfiguredQuota): LimitInForce => {
    const limit = terms?.quota[name];
    return limit === undefined ? configured[name] : { limit, source: 'admin' };
  };
  return { runsPerMinute: limitOf('runsPerMinute'), costUsdPerDay: limitOf('costUsdPerDay') };
}

/** The current period of a quota: a minute or a day in UTC. */
export interface QuotaWindow {
  /** The start of the period (RFC 3339). */
  readonly since: string;
  /** Whole seconds until the next period, at least 1. */
  readonly endsInSeconds: number;
}

/** @param nowMs milliseconds since the epoch */
const minuteWindowAt = (nowMs: number): QuotaWindow => quotaWindowAt(nowMs, MINUTE_MS);
const dayWindowAt = (nowMs: number): QuotaWindow => quotaWindowAt(nowMs, DAY_MS);

function quotaWindowAt(nowMs: number, lengthMs: number): QuotaWindow {
  const sinceMs = nowMs - (nowMs % lengthMs);
  return {
    since: new Date(sinceMs).toISOString(),
    endsInSeconds: Math.ceil((sinceMs + lengthMs - nowMs) / 1_000),
  };
}

/** Refuses new runs of a graph that is switched off. @throws ApiError 403 `SWITCHED_OFF` */
export async function requireGraphSwitchedOn(
  { store }: Pick<ApiDeps, 'store'>,
  tenantId: string,
  name: string,
): Promise<void> {
  const off = findSwitchedOff(await store.overrides.now(), { kind: 'graph', name }, tenantId);
  if (off) throw new ApiError('SWITCHED_OFF', `No run of the graph "${name}" may begin: ${off.reason}`);
}
