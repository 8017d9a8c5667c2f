import { isUnknownOutcome } from '../values/errors.ts';
import type { PossiblyExecutedCall } from './compensation.ts';
import { isSamePath } from './ids.ts';
import type { TaskPath } from './ids.ts';
import type { Run } from './run.ts';
import { tasksOfScope } from './scope-position.ts';
import type { SavedProgress, Scope, TaskState } from './scope.ts';
import { batchAtPosition, hasFailed, progressAtPosition, scopeInTask, scopeInside } from './task-position.ts';
import type { FailedState } from './task-position.ts';
import type { CallState } from './tool-batch.ts';

/** Returns the nodes that have calls with an unknown outcome. A node in a subgraph is `outer/inner`. */
export function nodesWithUnknownOutcome(scope: Scope): readonly string[] {
  return tasksOfScope(scope).flatMap(({ node, index, state }) => {
    if (countUnknownOf(state) === 0) return [];
    const name = index === null ? node : `${node}[${index}]`;
    const position = savedPosition(state);
    const inside = scopeInside(position);
    const named = inside ? nodesWithUnknownOutcome(inside).map((inner) => `${name}/${inner}`) : [];
    return inside && countUnknownCalls(position) === 0 ? named : [name, ...named];
  });
}

function savedPosition(state: TaskState): SavedProgress | null {
  if (state.phase === 'intervention') return state.saved;
  return state.phase === 'open' ? progressAtPosition(state.position) : null;
}

/** True if saved progress has calls with an unknown outcome, including those inside a subgraph. */
export function hasUnknownOutcome(saved: SavedProgress | null): boolean {
  return countUnknownOutcomes(saved) > 0;
}

/** Returns the number of calls with an unknown outcome in saved progress, including those inside a subgraph. */
export function countUnknownOutcomes(saved: SavedProgress | null): number {
  const inside = scopeInside(saved);
  const counts = inside ? tasksOfScope(inside).map(({ state }) => countUnknownOf(state)) : [];
  return counts.reduce((sum, count) => sum + count, countUnknownCalls(saved));
}

/** Returns the number of calls of a batch that have an unknown outcome. */
function countUnknownCalls(saved: SavedProgress | null): number {
  const batch = saved && saved.kind !== 'finished' ? batchAtPosition(saved) : [];
  return batch.filter(({ state }) => isOutcomeUnknown(state)).length;
}

/** A task that a person has given up is `failed`, so it no longer counts. */
function countUnknownOf(state: TaskState): number {
  return Number(isOutcomeUnknown(state)) + countUnknownOutcomes(savedPosition(state));
}

/** True if a task, or a call of a batch, waits for a person because its outcome is unknown. */
function isOutcomeUnknown(state: TaskState | CallState): boolean {
  return state.phase === 'intervention' && isUnknownOutcome(state.failure.error);
}

/** True if a retry repeats a lost call. A batch keeps its lost calls, which then wait for a person again. */
export function repeatsLostCall({ failure, saved }: Pick<FailedState, 'failure' | 'saved'>): boolean {
  const isKept = (saved?.kind === 'agent' || saved?.kind === 'calls') && hasUnknownOutcome(saved);
  return isUnknownOutcome(failure.error) && !isKept;
}

/**
 * Returns the lost calls of a task that the run still remembers. Calls that an ended run left without an answer are
 * excluded, because the ledger does not repeat them.
 */
export function rememberedLostCalls(
  { compensation }: Pick<Run, 'compensation'>,
  path: TaskPath,
): readonly PossiblyExecutedCall[] {
  return compensation.perhapsMade.filter(
    ({ taskPath, unansweredTakeover }) => unansweredTakeover === undefined && isSamePath(taskPath, path),
  );
}

/**
 * True if a node of a failed run has lost several calls. It can't be retried then, because all of them would be
 * repeated.
 */
export function hasLostSeveral(run: Pick<Run, 'root' | 'compensation'>, node: string): boolean {
  const isRefused = (scope: Scope, around: TaskPath): boolean =>
    tasksOfScope(scope).some((task) => {
      const path = [...around, task.key];
      const inside = scopeInTask(task.state);
      if (inside && isRefused(inside, path)) return true;
      if (task.node !== node || !hasFailed(task.state) || !repeatsLostCall(task.state)) return false;
      return rememberedLostCalls(run, path).length > 1;
    });
  return isRefused(run.root, []);
}
