import { childFrame, isWithin } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { isSamePath } from '../run/ids.ts';
import { scopeInside } from '../run/position.ts';
import type { NodePosition, SavedProgress, TaskState } from '../run/scope.ts';
import type { Failing, TaskFailure } from '../values/errors.ts';

/** Returns the keys of open calls of a task and of the tasks inside it. */
export function callsWithin({ draft, taskPath: path }: TaskHandle): readonly string[] {
  return Object.entries(draft.run.calls).flatMap(([key, { taskPath }]) => (isWithin(taskPath, path) ? [key] : []));
}

/** Returns the keys of open calls of a task itself. */
export function callsOf({ draft, taskPath }: TaskHandle): readonly string[] {
  return Object.entries(draft.run.calls).flatMap(([key, call]) => (isSamePath(call.taskPath, taskPath) ? [key] : []));
}

/**
 * Cancels the open calls of a failed task, and waits for their results: in every way out of a node, its calls end first.
 * @returns `null` if there are none
 */
export function cancelCalls(handle: TaskHandle, failing: TaskFailure, saved: SavedProgress | null): TaskState | null {
  const within = cancelCallsWithin(handle, failing, saved);
  return within ?? cancel(handle, callsOf(handle), { kind: 'failing', failing, saved, call: null });
}

/**
 * Cancels the open calls of a failed task with graphs inside, and waits for their results.
 * @returns `null` if there are none
 */
export function cancelCallsWithin(handle: TaskHandle, failing: Failing, saved: SavedProgress | null): TaskState | null {
  if (!saved || saved.kind === 'finished' || !scopeInside(saved) || !childFrame(handle)) return null;
  return cancel(handle, callsWithin(handle), { ...saved, failing });
}

function cancel({ draft }: TaskHandle, calls: readonly string[], position: NodePosition): TaskState | null {
  if (calls.length === 0) return null;
  for (const key of calls) draft.cancelCall(key);
  return { phase: 'open', position };
}
