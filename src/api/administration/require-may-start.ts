import type { TenantUse } from '../../store/tenant-use.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { ConfiguredLimit, ConfiguredQuota } from '../../config/tenants.ts';
import type { TenantTerms } from '../../store/tenant-terms.ts';
import type { QuotaTerms } from '../../store/tables.ts';
import type { Caller } from '../http/authenticate.ts';

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
function quotaInForce(configured: ConfiguredQuota, terms: Pick<TenantTerms, 'quota'> | null): QuotaInForce {
  const limitOf = (name: keyof ConfiguredQuota): LimitInForce => {
    const limit = terms?.quota[name];
    return limit === undefined ? configured[name] : { limit, source: 'admin' };
  };
  return { runsPerMinute: limitOf('runsPerMinute'), costUsdPerDay: limitOf('costUsdPerDay') };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A time that a quota is for: the minute or the day (UTC) that it is now. */
export interface QuotaWindow {
  /** RFC 3339. */
  readonly since: string;
  /** Whole seconds until the next one begins, 1 at least. */
  readonly endsInSeconds: number;
}

/** @param nowMs since the epoch */
const minuteAt = (nowMs: number): QuotaWindow => windowAt(nowMs, MINUTE_MS);
const dayAt = (nowMs: number): QuotaWindow => windowAt(nowMs, DAY_MS);

function windowAt(nowMs: number, lengthMs: number): QuotaWindow {
  const sinceMs = nowMs - (nowMs % lengthMs);
  return {
    since: new Date(sinceMs).toISOString(),
    endsInSeconds: Math.ceil((sinceMs + lengthMs - nowMs) / 1_000),
  };
}

/** The tenants of which administrators may say something. */
const MAX_TENANTS = 1_000;

/** What an administrator says of a tenant. Of an absent quota the configuration counts, and without `suspended` a suspension stays. */
interface WantedTerms {
  readonly tenantId: string;
  readonly runsPerMinute?: number | null | undefined;
  readonly costUsdPerDay?: number | null | undefined;
  readonly suspended?: { readonly reason: string } | null | undefined;
}

/**
 * Sets what a tenant may use up, in place of what was said before, and suspends it or lifts that. It counts in this process at once, in others within
 * seconds.
 * @throws ApiError 409 when something is said of too many tenants
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
