import type { Store } from '../../store/store.ts';
import type { CallTask } from './call-task.ts';
import { postponeCall } from './postpone-call.ts';

/** The maximum number of open calls in one worker process. */
export interface CallSlotLimits {
  readonly total: number;
  readonly perTenant: number;
}

export type CallSlot =
  | { readonly kind: 'taken'; readonly giveBack: () => void }
  /** The tenant has no free slot. Its calls are retried at the rate at which its open calls end. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

/** The slots of a worker process for calls, shared among tenants. */
export interface CallSlots {
  take(tenantId: string): CallSlot;
}

/** Bounds of the delay of a refused call. */
const MIN_RETRY_AFTER_MS = 1_000;
const MAX_SLOT_RETRY_AFTER_MS = 30_000;

/**
 * Shares slots among tenants. A tenant gets another slot only while it holds fewer than are free: a single tenant gets
 * half of all slots, two get a third each, and one more can always be served.
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
      const tenant = tenants.get(tenantId) ?? new TenantCalls(clock());
      tenants.set(tenantId, tenant);
      if (tenant.open >= Math.min(perTenant, total - open))
        return { kind: 'refused', retryAfterMs: tenant.queue(clock()) };
      open += 1;
      tenant.open += 1;
      return { kind: 'taken', giveBack: () => give(tenantId, tenant) };
    },
  };
}

/** Calls are retried a little faster than open ones end, so that slots do not stay free for long. */
const HASTE = 1.25;
const MIN_GAP_MS = 5;
const MAX_GAP_MS = 250;
/** The time between two retries, while the rate of ends is unknown. */
const FIRST_GAP_MS = 25;
/** The time over which the rate of ends is averaged. */
const AVERAGE_OVER_MS = 10_000;

/** The open calls of a tenant, and the retry times of its refused calls. */
class TenantCalls {
  open = 0;
  /** The number of recent ends; it decays with time. */
  #ends = AVERAGE_OVER_MS / (HASTE * FIRST_GAP_MS);
  #endsAt: number;
  #lastReturnAt = 0;

  constructor(now: number) {
    this.#endsAt = now;
  }

  end(now: number): void {
    this.open -= 1;
    this.#ends = this.#recentEnds(now) + 1;
    this.#endsAt = now;
  }

  /** Returns the delay of the next refused call. @returns milliseconds from now */
  queue(now: number): number {
    const gap = AVERAGE_OVER_MS / (HASTE * this.#recentEnds(now));
    const next = this.#lastReturnAt + Math.min(Math.max(gap, MIN_GAP_MS), MAX_GAP_MS);
    this.#lastReturnAt = Math.min(Math.max(next, now + MIN_RETRY_AFTER_MS), now + MAX_SLOT_RETRY_AFTER_MS);
    return Math.ceil(this.#lastReturnAt - now);
  }

  isIdle(now: number): boolean {
    return this.open === 0 && this.#lastReturnAt <= now;
  }

  #recentEnds(now: number): number {
    return this.#ends * Math.exp((this.#endsAt - now) / AVERAGE_OVER_MS);
  }
}

/**
 * Makes a call in a slot of its tenant. Without a free slot, it is postponed.
 * @throws ApplicationFailure `BUSY`, which the server retries
 */
export async function inCallSlot<T>(
  slots: CallSlots,
  store: Store,
  task: CallTask,
  call: () => Promise<T>,
): Promise<T> {
  const slot = slots.take(task.tenantId);
  if (slot.kind === 'taken') {
    try {
      return await call();
    } finally {
      slot.giveBack();
    }
  }
  const message = 'The tenant has as many open calls as it may';
  await postponeCall(store, task, { code: 'BUSY', message, retryAfterMs: slot.retryAfterMs });
  return await call();
}
