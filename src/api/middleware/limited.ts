import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from '../deps.ts';
import { requireSlot } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';

interface RequestLimits {
  readonly slots: TenantSlots;
  /** The error message when no slot is free. */
  readonly refusal: string;
  /** Selects the requests that are limited; by default all. */
  readonly counts?: (c: Context<ApiEnv>) => boolean;
}

/** Middleware: accepts a request if its tenant has a free slot. It must come before any expensive work. */
export function limitRequests({ slots, refusal, counts = () => true }: RequestLimits) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    if (!counts(c)) return await next();
    const release = requireSlot(slots, c.get('caller').tenantId, refusal);
    try {
      return await next();
    } finally {
      release();
    }
  });
}

const MAX_WAIT_SECONDS = 60;

/** Parses `Prefer: wait=N` (RFC 7240). @returns seconds, 60 at most; `null` without a usable value */
export function readPreferredWait(prefer: string | undefined): number | null {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}

/** Middleware: accepts a request with `Prefer: wait` if its tenant has a free slot. */
export function limitWaitingRequests(slots: TenantSlots) {
  return limitRequests({
    slots,
    refusal: 'Too many requests wait for runs; ask again, or without Prefer: wait',
    counts: (c) => readPreferredWait(c.req.header('prefer')) !== null,
  });
}
