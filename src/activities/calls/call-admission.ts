import { Context } from '@temporalio/activity';
import { tryAgainLater } from './application-failure.ts';
import type { CatalogKind } from '../../graph/definition/index.ts';
import type { CallTask } from './call-task.ts';
import { withHeartbeat } from './time-limit.ts';
import { writeJournal } from './write-journal.ts';
import { calleeOf } from '../../graph/run/index.ts';
import type { CallRequest } from '../../graph/run/index.ts';
import { findSwitchedOff } from '../../store/known-overrides.ts';
import type { Store } from '../../store/store.ts';
import type { Switch } from '../../store/switches.ts';

/** The bounds of the delay of a call that waits for a switch. */
const MIN_SWITCHED_OFF_DELAY_MS = 5_000;
const MAX_SWITCHED_OFF_DELAY_MS = 10_000;

const SWITCH_OF: Readonly<Record<CallRequest['kind'], CatalogKind>> = {
  tool: 'tool',
  model: 'model',
  function: 'function',
  node: 'node-type',
  reading: 'tool',
};

/** Finds the switch that keeps a call from being made. @returns `null`: it may be made */
export async function findSwitchOfCall({ overrides }: Store, { request, tenantId }: CallTask): Promise<Switch | null> {
  const { kind, name } = calleeOf(request);
  return findSwitchedOff(await overrides.now(), { kind: SWITCH_OF[kind], name }, tenantId);
}

/**
 * Makes a call unless its tool, model or code is disabled; then it is postponed.
 * @throws ApplicationFailure `SWITCHED_OFF`, which the server retries
 */
export async function whenSwitchedOn<T>(store: Store, task: CallTask, call: () => Promise<T>): Promise<T> {
  const off = await findSwitchOfCall(store, task);
  if (off) {
    const retryAfterMs =
      MIN_SWITCHED_OFF_DELAY_MS + Math.random() * (MAX_SWITCHED_OFF_DELAY_MS - MIN_SWITCHED_OFF_DELAY_MS);
    const message = `The ${off.kind} ${off.name} is switched off: ${off.reason}`;
    await postponeCall(store, task, { code: 'SWITCHED_OFF', message, retryAfterMs });
  }
  return await call();
}

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

/** The reason why a call is postponed. */
interface PostponementReason {
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number;
}

/**
 * Writes only the journal that travels with a call, and makes the server retry later. This precedes the claim, so the
 * ledger counts no attempt. A call past its deadline is not postponed: the ledger records its end.
 * @throws ApplicationFailure of the code, which the server retries
 */
async function postponeCall(
  store: Store,
  task: CallTask,
  { code, message, retryAfterMs }: PostponementReason,
): Promise<void> {
  const leftMs = timeLeft(task);
  if (leftMs <= 0) return;
  await withHeartbeat(task.request.policy.heartbeatMs, async () => await writeJournal(store, task));
  throw tryAgainLater(code, message, Math.min(retryAfterMs, leftMs));
}

/** @returns milliseconds until the deadline of all attempts of the activity's call */
function timeLeft({ request: { policy } }: CallTask): number {
  if (policy.deadlineMs === null) return Number.POSITIVE_INFINITY;
  return Context.current().info.scheduledTimestampMs + policy.deadlineMs - Date.now();
}
