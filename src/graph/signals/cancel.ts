import { cancelTimer, saveApproval } from '../tasks.ts';
import type { Draft } from '../draft.ts';
import { taken, textOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Ends the run: what is out is called back, what is asked is withdrawn, nothing new begins. */
export const cancel: SignalKind = {
  description: 'End the run as canceled: {"reason"?}',
  properties: { reason: { type: 'string' } },
  handle(draft, { payload, by }) {
    cancelRun(draft, by.sub, textOf(payload, 'reason') ?? null);
    return taken();
  },
};

export function cancelRun(draft: Draft, by: string, reason: string | null): void {
  const { run } = draft;
  if (run.cancellation) return;
  run.cancellation = { by, reason, isClosing: false };
  if (!run.failing) withdraw(draft);
}

/** Takes back what the tasks of a run still ask of people, clocks and others. */
export function withdraw(draft: Draft): void {
  if (Object.keys(draft.run.calls).length > 0) draft.effects.push({ kind: 'cancel.calls' });
  for (const [id, { task }] of Object.entries(draft.run.timers)) if (task.length > 0) cancelTimer(draft, id);
  for (const approval of Object.values(draft.run.approvals)) {
    if (approval.status === 'pending') saveApproval(draft, { ...approval, status: 'canceled' });
  }
}
