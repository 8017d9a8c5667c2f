import { childFrame, isWithin } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { isSamePath } from '../run/ids.ts';
import type { NodePosition, SavedProgress, TaskState } from '../run/scope.ts';
import { scopeInside } from '../run/task-position.ts';
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
 * Cancels the open calls of a failed task, which fails after their results: in every way out of a node, its calls end first.
 * @returns the state in which it waits for them; `null`: there are none
 */
export function failAfterCalls(
  handle: TaskHandle,
  failing: TaskFailure,
  saved: SavedProgress | null,
): TaskState | null {
  const within = failAfterCallsWithin(handle, failing, saved);
  return within ?? cancelAndWait(handle, callsOf(handle), { kind: 'failing', failing, saved, call: null });
}

/**
 * Cancels the open calls of a failed task with graphs inside, which fails after their results.
 * @returns the state in which it waits for them; `null`: there are none
 */
export function failAfterCallsWithin(
  handle: TaskHandle,
  failing: Failing,
  saved: SavedProgress | null,
): TaskState | null {
  if (!saved || saved.kind === 'finished' || !scopeInside(saved) || !childFrame(handle)) return null;
  return cancelAndWait(handle, callsWithin(handle), { ...saved, failing });
}

function cancelAndWait({ draft }: TaskHandle, calls: readonly string[], position: NodePosition): TaskState | null {
  if (calls.length === 0) return null;
  for (const key of calls) draft.cancelCall(key);
  return { phase: 'open', position };
}
