import type { ModelCallRequest } from '../../graph/run/index.ts';
import type { Store } from '../../store/store.ts';
import type { CallSlots } from '../calls/call-slots.ts';
import type { CallTask } from '../calls/call-task.ts';
import { inCallSlot } from '../calls/postponed/in-call-slot.ts';
import { filesIn } from '../models/load-files.ts';

/**
 * Makes a model's call; one whose prompt has files takes a slot of its own kind, as the process holds them meanwhile.
 * @throws ApplicationFailure `BUSY`, which the server retries
 */
export async function inFileSlot<T>(
  { fileSlots, store }: { readonly fileSlots: CallSlots; readonly store: Store },
  task: CallTask<ModelCallRequest>,
  call: () => Promise<T>,
): Promise<T> {
  const hasFiles = filesIn(task.request.messages).length > 0;
  return hasFiles ? await inCallSlot({ slots: fileSlots, store }, task, call) : await call();
}
