import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Draft } from './draft.ts';
import type { TaskHandle } from './frames.ts';

/** Cancels the timers of a task and of the tasks inside it. */
export function cancelTimersOf({ draft, taskPath }: TaskHandle): void {
  draft.cancelTimersWithin(taskPath);
}

/** Cancels the open timers and approvals of a task and of the tasks inside it. Its calls stay open. */
export function cancelTimersAndApprovalsOf(handle: TaskHandle): void {
  cancelTimersOf(handle);
  handle.draft.cancelApprovals(handle.taskPath);
}

/** Cancels the open calls, timers and approvals of a run, but not the timer of its deadline. The results of the calls still arrive. */
export function cancelOpenRequests(draft: Draft): void {
  draft.cancelCalls();
  for (const id of Object.keys(draft.run.timers)) if (id !== DEADLINE_TIMER) draft.cancelTimer(id);
  draft.cancelApprovals();
}
