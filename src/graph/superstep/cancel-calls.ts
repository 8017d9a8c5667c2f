import { childFrame, isWithin } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { scopeInside } from '../run/position.ts';
import type { SavedProgress, TaskState } from '../run/scope.ts';
import type { Failing } from '../values/errors.ts';

/** Returns the keys of open calls of a task and of the tasks inside it. */
export function callsWithin({ draft, taskPath: path }: TaskHandle): readonly string[] {
  return Object.entries(draft.run.calls).flatMap(([key, { taskPath }]) => (isWithin(taskPath, path) ? [key] : []));
}

/**
 * Cancels the open calls of a failed task with graphs inside, and waits for their results.
 * @returns `null` if there are none
 */
export function cancelCallsWithin(handle: TaskHandle, failing: Failing, saved: SavedProgress | null): TaskState | null {
  const { draft } = handle;
  if (!saved || saved.kind === 'finished' || !scopeInside(saved) || !childFrame(handle)) return null;
  const calls = callsWithin(handle);
  if (calls.length === 0) return null;
  for (const key of calls) draft.cancelCall(key);
  return { phase: 'open', position: { ...saved, failing } };
}
