import { tasksIn } from './scope-place.ts';
import type { NodeTask, Scope } from './scope.ts';
import { scopeIn } from './task-state.ts';

/**
 * The most tasks that a superstep of a graph has had, with those of the graphs inside, each at its widest. It does not
 * matter if those graphs run side by side or one after the other.
 */
export function widthOf(scope: Scope): number {
  return Math.max(scope.widest, openWidth(scope));
}

/** The tasks of the open superstep, with those of the graphs inside. */
export function openWidth({ at }: Pick<Scope, 'at'>): number {
  return tasksIn({ at }).reduce((sum, task) => sum + 1 + widthInside(task), 0);
}

/** The tasks of the graphs inside a task, which may have ended. */
export function widthInside({ inside = 0, state }: NodeTask): number {
  const scope = scopeIn(state);
  return scope ? Math.max(inside, widthOf(scope)) : inside;
}
