import type { SavedProgress, TaskState } from '../run/scope.ts';
import type { TaskFailure } from '../values/errors.ts';
import { childFrame, isWithin, openFrames, taskPathOf } from './frames.ts';
import type { TaskFrame } from './frames.ts';

/** The keys of the calls that are out of a task, and of what is inside it. */
export function callsWithin(of: TaskFrame): readonly string[] {
  const address = taskPathOf(of);
  return Object.entries(of.draft.run.calls).flatMap(([key, { taskPath }]) =>
    isWithin(taskPath, address) ? [key] : [],
  );
}

/**
 * Has a subgraph whose deadline is over wait for the calls inside that are out: what they have done has to be known.
 * @returns `null`: there are none
 */
export function cancelCallsWithin(of: TaskFrame, failing: TaskFailure, kept: SavedProgress | null): TaskState | null {
  const { draft, node } = of;
  if (node.deadlineMs === null || kept?.kind !== 'subgraph') return null;
  const child = childFrame(of);
  const calls = callsWithin(of);
  if (!child || calls.length === 0) return null;
  for (const frame of openFrames(draft, child)) frame.isFailing = true;
  for (const key of calls) draft.effects.push({ kind: 'cancel.call', key });
  return { phase: 'open', position: { ...kept, failing } };
}
