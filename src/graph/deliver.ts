import type { Draft } from './draft.ts';
import type { TaskEventBody } from './events.ts';
import { findTask } from './frames.ts';
import type { Happening } from './nodes/runner.ts';
import type { TaskAddress } from './run.ts';
import { resumeTask } from './task-progress.ts';
import { emitTask } from './tasks.ts';

/**
 * Gives a task what it waited for. What comes for a task that is gone comes too late, and is dropped; so is what comes
 * while the run is about to end, or a task would begin new work; but that nobody can tell what a call did is kept.
 */
export function deliver(draft: Draft, address: TaskAddress, happening: Happening): void {
  const { cancellation, failing } = draft.run;
  const isEnding = failing !== null || cancellation?.isClosing === false;
  if (isEnding && !isOutcomeUnknown(happening)) return;
  const found = findTask(draft, address);
  if (found) resumeTask(found, happening);
}

function isOutcomeUnknown(happening: Happening): boolean {
  return happening.kind === 'call.failed' && happening.failure.error.code === 'UNKNOWN_OUTCOME';
}

/** Records an event about the task at an address, as far as it is still there. */
export function emitAt(draft: Draft, address: TaskAddress, body: TaskEventBody): void {
  const found = findTask(draft, address);
  if (found) emitTask(found, body);
}
