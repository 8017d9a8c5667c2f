/** The most calls that may be open at a time in one worker process. */
export interface CallSlotLimits {
  readonly total: number;
  readonly perTenant: number;
}

export type CallSlot =
  | { readonly kind: 'taken'; readonly giveBack: () => void }
  /** The tenant has no slot left. Its calls come back at the pace at which its open ones end. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

/** The slots of a worker process for calls, shared among tenants. */
export interface CallSlots {
  take(tenantId: string): CallSlot;
}

/** Bounds of the time after which a refused call comes back. */
const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 30_000;

/**
 * Shares slots among tenants. A tenant takes another slot only while it holds fewer than are free: one tenant alone gets
 * half of all slots, two get a third each, and there is always room for one more.
 * @param clock returns milliseconds
 */
export function createCallSlots({ total, perTenant }: CallSlotLimits, clock: () => number = Date.now): CallSlots {
  const tenants = new Map<string, TenantCalls>();
  let open = 0;
  const give = (tenantId: string, tenant: TenantCalls): void => {
    open -= 1;
    tenant.end(clock());
    if (tenant.isIdle(clock())) tenants.delete(tenantId);
  };
  return {
    take(tenantId) {
      const tenant = tenants.get(tenantId) ?? new TenantCalls();
      tenants.set(tenantId, tenant);
      if (tenant.open >= Math.min(perTenant, total - open))
        return { kind: 'refused', retryAfterMs: tenant.queue(clock()) };
      open += 1;
      tenant.open += 1;
      return { kind: 'taken', giveBack: () => give(tenantId, tenant) };
    },
  };
}

/** Calls come back a little faster than open ones end, so that no slot stays free for long. */
const HASTE = 1.25;
const MIN_GAP_MS = 5;
const MAX_GAP_MS = 250;
/** The time over which the rate of ends is averaged. */
const AVERAGE_OVER_MS = 2_000;

/** The open calls of a tenant, and the times at which its refused calls come back. */
class TenantCalls {
  open = 0;
  /** The number of recent ends; it decays with time. */
  #ends = 0;
  #endsAt = 0;
  #lastReturnAt = 0;

  end(now: number): void {
    this.open -= 1;
    this.#ends = this.#recentEnds(now) + 1;
    this.#endsAt = now;
  }

  /** Gives the next refused call its time. @returns milliseconds from now */
  queue(now: number): number {
    const gap = AVERAGE_OVER_MS / (HASTE * this.#recentEnds(now));
    const next = this.#lastReturnAt + Math.min(Math.max(gap, MIN_GAP_MS), MAX_GAP_MS);
    this.#lastReturnAt = Math.min(Math.max(next, now + MIN_RETRY_AFTER_MS), now + MAX_RETRY_AFTER_MS);
    return Math.ceil(this.#lastReturnAt - now);
  }

  isIdle(now: number): boolean {
    return this.open === 0 && this.#lastReturnAt <= now;
  }

  #recentEnds(now: number): number {
    return this.#ends * Math.exp((this.#endsAt - now) / AVERAGE_OVER_MS);
  }
}
