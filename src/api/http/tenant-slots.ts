import { retryAfter } from './errors.ts';

/** The most concurrent requests of one kind. */
export interface SlotLimits {
  readonly perTenant: number;
  readonly total: number;
}

/** Limits the concurrent requests of one kind in this process, such as requests that wait for runs. */
export interface TenantSlots {
  /** Takes a slot. @returns a function that releases it; `null` when the tenant or the process has no slot left */
  take(tenantId: string): (() => void) | null;
}

export function createTenantSlots({ perTenant, total }: SlotLimits): TenantSlots {
  const taken = new Map<string, number>();
  let all = 0;
  const add = (tenantId: string, change: 1 | -1): void => {
    const count = (taken.get(tenantId) ?? 0) + change;
    all += change;
    if (count === 0) taken.delete(tenantId);
    else taken.set(tenantId, count);
  };
  return {
    take(tenantId) {
      if (all >= total || (taken.get(tenantId) ?? 0) >= perTenant) return null;
      add(tenantId, 1);
      return () => add(tenantId, -1);
    },
  };
}

/**
 * Takes a slot of a tenant.
 * @param seconds after which the request may be sent again
 * @returns a function that releases the slot
 * @throws ApiError 429 with the message `refusal` when no slot is left
 */
export function requireSlot(slots: TenantSlots, tenantId: string, refusal: string, seconds = 1): () => void {
  const release = slots.take(tenantId);
  if (!release) throw retryAfter(seconds, 'TOO_MANY_REQUESTS', refusal);
  return release;
}
