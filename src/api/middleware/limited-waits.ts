import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { readWait } from '../http/read-wait.ts';
import type { WaitSlots } from '../http/wait-slots.ts';

const RETRY_AFTER_S = '1';

/** Middleware: a request with `Prefer: wait` passes if its tenant may have one more; it comes before any work. */
export function limitedWaits(slots: WaitSlots) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    if (readWait(c.req.header('prefer')) === null) return await next();
    const giveBack = slots.take(c.get('caller').tenantId);
    if (!giveBack)
      throw new ApiError('TOO_MANY_REQUESTS', 'Too many requests wait for runs; ask again, or without Prefer: wait', {
        headers: { 'retry-after': RETRY_AFTER_S },
      });
    try {
      return await next();
    } finally {
      giveBack();
    }
  });
}
