/** The most requests of a kind at a time. */
export interface SlotLimits {
  readonly perTenant: number;
  readonly total: number;
}

/** Counts the requests of a kind that this process works on, such as those that wait for runs. */
export interface TenantSlots {
  /** Takes a slot. @returns what gives it back; `null`: the tenant has none left, or the process */
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
