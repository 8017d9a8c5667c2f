import { isUnknownOutcome } from '../values/errors.ts';
import { tasksIn } from './scope-place.ts';
import type { SavedProgress, Scope, TaskState } from './scope.ts';
import { batchOf, progressAt, scopeInside } from './task-position.ts';
import type { CallState } from './tool-batch.ts';

/** Returns the nodes that have calls with an unknown outcome. A node in a subgraph is `outer/inner`. */
export function nodesWithUnknownOutcome(scope: Scope): readonly string[] {
  return tasksIn(scope).flatMap(({ node, index, state }) => {
    if (countUnknownOf(state) === 0) return [];
    const name = index === null ? node : `${node}[${index}]`;
    const position = positionOf(state);
    const inside = scopeInside(position);
    const named = inside ? nodesWithUnknownOutcome(inside).map((inner) => `${name}/${inner}`) : [];
    return inside && countUnknownCalls(position) === 0 ? named : [name, ...named];
  });
}

function positionOf(state: TaskState): SavedProgress | null {
  if (state.phase === 'intervention') return state.saved;
  return state.phase === 'open' ? progressAt(state.position) : null;
}

/** True if saved progress has calls with an unknown outcome, also inside a subgraph. */
export function hasUnknownOutcome(saved: SavedProgress | null): boolean {
  return countUnknownOutcomes(saved) > 0;
}

/** Returns the number of calls with an unknown outcome in saved progress, also inside a subgraph. */
export function countUnknownOutcomes(saved: SavedProgress | null): number {
  const inside = scopeInside(saved);
  const counts = inside ? tasksIn(inside).map(({ state }) => countUnknownOf(state)) : [];
  return counts.reduce((sum, count) => sum + count, countUnknownCalls(saved));
}

/** Returns the number of calls of a batch that have an unknown outcome. */
function countUnknownCalls(saved: SavedProgress | null): number {
  const batch = saved && saved.kind !== 'finished' ? batchOf(saved) : [];
  return batch.filter(({ state }) => isOutcomeUnknown(state)).length;
}

/** A task that a person has given up is `failed`, so its outcome no longer counts as unknown. */
function countUnknownOf(state: TaskState): number {
  return Number(isOutcomeUnknown(state)) + countUnknownOutcomes(positionOf(state));
}

/** True if a task, or a call of a batch, waits for a person because its outcome is unknown. */
function isOutcomeUnknown(state: TaskState | CallState): boolean {
  return state.phase === 'intervention' && isUnknownOutcome(state.failure.error);
}
