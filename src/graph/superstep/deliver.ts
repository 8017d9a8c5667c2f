import type { TaskEventBody } from '../journal/events.ts';
import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import type { TaskPath } from '../run/ids.ts';
import { batchOf } from '../run/position.ts';
import type { TaskState } from '../run/scope.ts';
import { isEnding } from '../run/status.ts';
import type { Draft } from './draft.ts';
import { findTask, emitTask } from './frames.ts';
import type { TaskHandle } from './frames.ts';
import { placed, resumeTask, takesLate } from './run-task.ts';

/**
 * Gives a task what it waited for. What comes for a task that is gone comes too late, and is dropped; so is what comes
 * while the run, or a node around the task, is about to end, or a task would begin new work; but that nobody can tell what
 * a call did is kept, and so is what has become of one of several calls.
 */
export function deliver(handle: TaskHandle | null, happening: TaskInput): void {
  if (!handle) return;
  const isDropped = (isEnding(handle.draft.run) || handle.frame.isFailing) && !isAccepted(handle, happening);
  if (!isDropped) return resumeTask(handle, happening);
  if (handle.frame.isFailing) recordCanceledCall(handle, happening);
}

/** The history says of each task inside a node that has failed that it waits for nothing any more. */
function recordCanceledCall(handle: TaskHandle, { kind }: TaskInput): void {
  const { state } = handle.task;
  if (state.phase !== 'open' || (kind !== 'call.completed' && kind !== 'call.failed')) return;
  const error = { code: 'CANCELED', message: 'A node around it has failed meanwhile' } as const;
  emitTask(handle, { type: 'node.failed', error: placed(handle, error), attempts: 1 });
}

function isAccepted({ task: { state } }: TaskHandle, happening: TaskInput): boolean {
  return isCallResult(happening) && (happening.kind === 'call.failed' || hasBatch(state));
}

function hasBatch(state: TaskState): boolean {
  if (state.phase === 'open') return batchOf(state.position).length > 0;
  return takesLate(state);
}

/** Records an event about the task at an address, as far as it is still there. */
export function emitAt(draft: Draft, address: TaskPath, body: TaskEventBody): void {
  const found = findTask(draft, address);
  if (found) emitTask(found, body);
}
