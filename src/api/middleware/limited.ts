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
