import { readWait } from '../http/read-wait.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { limited } from './limited.ts';

/** Middleware: a request with `Prefer: wait` passes if its tenant may have one more. */
export function limitedWaits(slots: TenantSlots) {
  return limited({
    slots,
    refusal: 'Too many requests wait for runs; ask again, or without Prefer: wait',
    counts: (c) => readWait(c.req.header('prefer')) !== null,
  });
}
