import type { NodeTask, ResumablePosition, SavedProgress, Scope, TaskState } from './scope.ts';
import { progressAt, scopeInside } from './task-position.ts';

/** Returns the graph inside a task that is open, or whose progress is saved. */
export function scopeIn(state: TaskState): Scope | null {
  return scopeInside(state.phase === 'open' ? state.position : 'saved' in state ? (state.saved ?? null) : null);
}

/** Returns the work of a task that its retry must not repeat. */
export function savedProgressOf(state: TaskState): SavedProgress | null {
  if (state.phase === 'ready') return state.saved ?? null;
  return state.phase === 'open' ? progressAt(state.position) : null;
}

/** A task whose failure stands until a retry, or until a person intervenes. */
export type FailedState = TaskState & { readonly phase: 'failed' | 'intervention' };

export function hasFailed(state: TaskState): state is FailedState {
  return state.phase === 'failed' || state.phase === 'intervention';
}

/** True for a failed task that has saved a part of its work. Some of its calls may still be open. */
export function hasResumableProgress(state: TaskState): state is FailedState & { readonly saved: ResumablePosition } {
  return hasFailed(state) && state.saved !== null && state.saved.kind !== 'finished';
}

/** A completed task, or a failed one whose `onError` has chosen another node. Both have an update to write. */
export type FinishedTask = NodeTask & { readonly state: TaskState & { readonly phase: 'completed' | 'diverted' } };

export function isFinished(task: NodeTask): task is FinishedTask {
  return task.state.phase === 'completed' || task.state.phase === 'diverted';
}

/** True for a task that has never begun, or whose work a retry begins anew from nothing. */
export function hasNotBegun({ state, retryRound, takeover }: NodeTask): boolean {
  return state.phase === 'ready' && state.saved === undefined && retryRound === 0 && takeover === 0;
}

/** True if a task does no more work in its superstep. */
export function isOver(task: NodeTask): boolean {
  return isFinished(task) || task.state.phase === 'failed';
}
