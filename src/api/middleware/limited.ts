import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';

interface Limits {
  readonly slots: TenantSlots;
  /** What a caller is told for whom there is no slot. */
  readonly refusal: string;
  /** By default, all requests count. */
  readonly counts?: (c: Context<ApiEnv>) => boolean;
}

const RETRY_AFTER_S = '1';

/** Middleware: a request passes if its tenant may have one more; it comes before any work. */
export function limited({ slots, refusal, counts = () => true }: Limits) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    if (!counts(c)) return await next();
    const giveBack = slots.take(c.get('caller').tenantId);
    if (!giveBack) throw new ApiError('TOO_MANY_REQUESTS', refusal, { headers: { 'retry-after': RETRY_AFTER_S } });
    try {
      return await next();
    } finally {
      giveBack();
    }
  });
}

const MAX_WAIT_SECONDS = 60;

/** Reads `Prefer: wait=N` (RFC 7240). @returns seconds, 60 at most; `null` without a usable value */
export function readWait(prefer: string | undefined): number | null {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}

/** Middleware: a request passes if its `If-Match` header names something. It comes before the body and the resource. */
export function ifMatch() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const named = c.req.header('if-match') ?? '';
    if (named.trim() === '')
      throw new ApiError('PRECONDITION_REQUIRED', 'An edit names the state that it corrects: If-Match with its ETag');
    await next();
  });
}

/** Middleware: a request with `Prefer: wait` passes if its tenant may have one more. */
export function limitedWaits(slots: TenantSlots) {
  return limited({
    slots,
    refusal: 'Too many requests wait for runs; ask again, or without Prefer: wait',
    counts: (c) => readWait(c.req.header('prefer')) !== null,
  });
}
