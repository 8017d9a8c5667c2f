import type { Draft } from './draft.ts';
import { taskPathOf, isWithin } from './frames.ts';
import type { TaskFrame } from './frames.ts';

/** One line for the Temporal Web UI, such as `tool pay #2`. */
export function summaryOf({ frame, task }: TaskFrame, kind: string): string {
  return `${kind} ${[...frame.path, task.key].join('/')} #${task.visit}`;
}

export function startTimer(
  of: TaskFrame,
  { id, fireAt, summary }: { id: string; fireAt: number; summary: string },
): void {
  of.draft.run.timers[id] = { taskPath: taskPathOf(of), fireAt, summary };
  of.draft.effects.push({ kind: 'timer', id, fireAt, summary });
}

/** Forgets the timers of a task, and of what is inside it. */
export function cancelTimersOf(of: TaskFrame): void {
  const { draft } = of;
  const address = taskPathOf(of);
  for (const [id, { taskPath }] of Object.entries(draft.run.timers))
    if (isWithin(taskPath, address)) cancelTimer(draft, id);
}

/** Forgets a timer, whether it still runs or not. */
export function cancelTimer(draft: Draft, id: string): void {
  if (!Object.hasOwn(draft.run.timers, id)) return;
  delete draft.run.timers[id];
  draft.effects.push({ kind: 'cancel.timer', id });
}
