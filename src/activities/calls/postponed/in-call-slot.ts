import type { Store } from '../../../store/store.ts';
import type { CallSlots } from '../call-slots.ts';
import type { CallTask } from '../call-task.ts';
import { postponeCall } from './postpone-call.ts';

/**
 * Makes a call in a slot of its tenant. Without a free slot, it is postponed.
 * @throws ApplicationFailure `BUSY`, which the server retries
 */
export async function inCallSlot<T>(
  { slots, store }: { readonly slots: CallSlots; readonly store: Store },
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
