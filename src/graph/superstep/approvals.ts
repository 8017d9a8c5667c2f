import type { Draft } from './draft.ts';
import { isWithin } from './frames.ts';
import type { TaskHandle } from './frames.ts';
import { cancelTimersOf, cancelTimer } from './timers.ts';

/** Takes back what a task, and what is inside it, still asks of people and clocks. */
export function cancelApprovalsOf(handle: TaskHandle): void {
  const { draft, taskPath } = handle;
  cancelTimersOf(handle);
  for (const approval of Object.values(draft.run.approvals)) {
    const isOpen = approval.status === 'pending' && isWithin(approval.task, taskPath);
    if (isOpen) draft.saveApproval({ ...approval, status: 'canceled' });
  }
}

/** Takes back what the tasks of a run still ask of people, clocks and others. */
export function cancelOpenQuestions(draft: Draft): void {
  if (Object.keys(draft.run.calls).length > 0) draft.effects.push({ kind: 'cancel.calls' });
  for (const [id, { taskPath }] of Object.entries(draft.run.timers)) if (taskPath.length > 0) cancelTimer(draft, id);
  for (const approval of Object.values(draft.run.approvals)) {
    if (approval.status === 'pending') draft.saveApproval({ ...approval, status: 'canceled' });
  }
}
