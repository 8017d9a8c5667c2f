import type { TaskEventBody } from '../journal/events.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import type { TaskPath } from '../run/ids.ts';
import { acceptanceOf } from './acceptance.ts';
import type { Draft } from './draft.ts';
import { findTask, emitTask } from './frames.ts';
import type { TaskHandle } from './frames.ts';
import { keepResult, placed, resumeTask } from './run-task.ts';

/** Gives a task what it waited for, as far as it still counts; a task that is gone gets nothing. */
export function deliver(handle: TaskHandle | null, input: TaskInput): void {
  if (!handle) return;
  switch (acceptanceOf(handle, input)) {
    case 'resume':
      return resumeTask(handle, input);
    case 'keep':
      return keepResult(handle, input);
    case 'ignore':
      if (handle.frame.isFailing) recordCanceledCall(handle, input);
  }
}

/** The history says of each task inside a node that has failed that it waits for nothing any more. */
function recordCanceledCall(handle: TaskHandle, { kind }: TaskInput): void {
  const { state } = handle.task;
  if (state.phase !== 'open' || (kind !== 'call.completed' && kind !== 'call.failed')) return;
  const error = { code: 'CANCELED', message: 'A node around it has failed meanwhile' } as const;
  emitTask(handle, { type: 'node.failed', error: placed(handle, error), attempts: 1 });
}

/** Records an event about the task at an address, as far as it is still there. */
export function emitAt(draft: Draft, address: TaskPath, body: TaskEventBody): void {
  const found = findTask(draft, address);
  if (found) emitTask(found, body);
}
