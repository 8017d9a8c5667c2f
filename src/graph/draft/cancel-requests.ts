import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Draft } from './draft.ts';
import { isWithin } from './frames.ts';
import type { TaskHandle } from './frames.ts';

/** Cancels the timers of a task and of the tasks inside it. */
export function cancelTimersOf({ draft, taskPath: path }: TaskHandle): void {
  for (const [id, { taskPath }] of Object.entries(draft.run.timers))
    if (isWithin(taskPath, path)) draft.cancelTimer(id);
}

/** Cancels the open timers and approvals of a task and of the tasks inside it. Its calls stay open. */
export function cancelTimersAndApprovalsOf(handle: TaskHandle): void {
  const { draft, taskPath } = handle;
  cancelTimersOf(handle);
  for (const approval of Object.values(draft.run.approvals)) {
    const isOpen = approval.status === 'pending' && isWithin(approval.task, taskPath);
    if (isOpen) draft.saveApproval({ ...approval, status: 'canceled' });
  }
}

/** Cancels the open calls, timers and approvals of a run, but not the timer of its deadline. The results of the calls still arrive. */
export function cancelOpenRequests(draft: Draft): void {
  draft.cancelCalls();
  for (const id of Object.keys(draft.run.timers)) if (id !== DEADLINE_TIMER) draft.cancelTimer(id);
  for (const approval of Object.values(draft.run.approvals)) {
    if (approval.status === 'pending') draft.saveApproval({ ...approval, status: 'canceled' });
  }
}
