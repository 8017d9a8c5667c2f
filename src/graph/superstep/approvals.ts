import type { Approval } from '../run/approval.ts';
import type { Draft } from './draft.ts';
import { isWithin, taskPathOf } from './frames.ts';
import type { TaskFrame } from './frames.ts';
import { cancelTimersOf, cancelTimer } from './timers.ts';

export function saveApproval({ run, approvals }: Draft, approval: Approval): void {
  run.approvals[approval.id] = approval;
  approvals.set(approval.id, approval);
  const closed = Object.values(run.approvals).filter(({ status }) => status !== 'pending');
  for (const { id } of closed.slice(0, -MAX_CLOSED)) delete run.approvals[id];
}

/** So many approvals that are closed can be asked for by query; all of them are in the store. */
const MAX_CLOSED = 100;

/** Takes back what a task, and what is inside it, still asks of people and clocks. */
export function cancelApprovalsOf(of: TaskFrame): void {
  const { draft } = of;
  const address = taskPathOf(of);
  cancelTimersOf(of);
  for (const approval of Object.values(draft.run.approvals)) {
    const isOpen = approval.status === 'pending' && isWithin(approval.task, address);
    if (isOpen) saveApproval(draft, { ...approval, status: 'canceled' });
  }
}

/** Takes back what the tasks of a run still ask of people, clocks and others. */
export function cancelOpenQuestions(draft: Draft): void {
  if (Object.keys(draft.run.calls).length > 0) draft.effects.push({ kind: 'cancel.calls' });
  for (const [id, { taskPath }] of Object.entries(draft.run.timers)) if (taskPath.length > 0) cancelTimer(draft, id);
  for (const approval of Object.values(draft.run.approvals)) {
    if (approval.status === 'pending') saveApproval(draft, { ...approval, status: 'canceled' });
  }
}
