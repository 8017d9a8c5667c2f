import type { Draft } from './draft.ts';
import { cancelTimer, saveApproval } from './tasks.ts';

/** Takes back what the tasks of a run still ask of people, clocks and others. */
export function withdraw(draft: Draft): void {
  if (Object.keys(draft.run.calls).length > 0) draft.effects.push({ kind: 'cancel.calls' });
  for (const [id, { task }] of Object.entries(draft.run.timers)) if (task.length > 0) cancelTimer(draft, id);
  for (const approval of Object.values(draft.run.approvals)) {
    if (approval.status === 'pending') saveApproval(draft, { ...approval, status: 'canceled' });
  }
}
