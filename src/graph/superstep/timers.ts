import type { Draft } from './draft.ts';
import { isWithin } from './frames.ts';
import type { TaskHandle } from './frames.ts';

/** Returns one line for the Temporal Web UI, such as `tool charge · pay #2`. */
export function summaryOf({ frame, task }: TaskHandle, kind: string): string {
  return `${kind} ${[...frame.path, task.key].join('/')} #${task.visit}`;
}

export function startTimer(handle: TaskHandle, timer: { id: string; fireAt: number; summary: string }): void {
  const { id, fireAt, summary } = timer;
  handle.draft.addTimer(id, { taskPath: handle.taskPath, fireAt, summary });
}

/** Cancels the timers of a task and of the tasks inside it. */
export function cancelTimersOf({ draft, taskPath: path }: TaskHandle): void {
  for (const [id, { taskPath }] of Object.entries(draft.run.timers))
    if (isWithin(taskPath, path)) cancelTimer(draft, id);
}

/** Cancels a timer, if it is open. */
export function cancelTimer(draft: Draft, id: string): void {
  if (draft.takeTimer(id)) draft.effects.push({ kind: 'cancel.timer', id });
}
