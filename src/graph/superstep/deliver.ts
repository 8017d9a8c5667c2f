import type { TaskEventBody } from '../journal/events.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import type { TaskPath } from '../run/ids.ts';
import { acceptanceOf } from './acceptance.ts';
import type { Draft } from '../draft/draft.ts';
import { findTask, emitTask } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { saveLateResult, resumeTask } from './run-task.ts';
import { withLocation } from './fail-task.ts';

/** Delivers an input to a task according to its acceptance; a missing task ignores it. */
export function deliver(handle: TaskHandle | null, input: TaskInput): void {
  if (!handle) return;
  switch (acceptanceOf(handle, input)) {
    case 'resume':
      return resumeTask(handle, input);
    case 'save':
      return saveLateResult(handle, input);
    case 'ignore':
      if (handle.frame.isFailing) recordCanceledCall(handle, input);
  }
}

/** Records the end of each task inside a failed node whose call returns. */
function recordCanceledCall(handle: TaskHandle, { kind }: TaskInput): void {
  const { state } = handle.task;
  if (state.phase !== 'open' || (kind !== 'call.completed' && kind !== 'call.failed')) return;
  const error = { code: 'CANCELED', message: 'A node around it has failed meanwhile' } as const;
  emitTask(handle, { type: 'node.failed', error: withLocation(handle, error), attempts: 1 });
}

/** Records an event about the task at a path, if the task still exists. */
export function emitAt(draft: Draft, address: TaskPath, body: TaskEventBody): void {
  const found = findTask(draft, address);
  if (found) emitTask(found, body);
}
