import { isKept } from './nodes/position.ts';
import type { KeptPosition } from './nodes/position.ts';
import type { TaskFailure, TaskState } from './scope.ts';

/** Whether a task that has failed leaves calls of which nobody knows what they did, its own or inside it. */
export function isInDoubt(kept: KeptPosition | null): boolean {
  switch (kept?.kind) {
    case 'subgraph':
      return (kept.scope.superstep?.tasks ?? []).some(({ state }) => isTaskInDoubt(state));
    case 'agent':
    case 'calls':
      return kept.batch.some(({ state }) => state.phase === 'intervention' && isUnknown(state.failure));
    default:
      return false;
  }
}

/** One that a person has given up is in doubt no more. */
function isTaskInDoubt(state: TaskState): boolean {
  if (state.phase === 'intervention') return isUnknown(state.failure) || isInDoubt(state.kept);
  return state.phase === 'open' && isKept(state.position) && isInDoubt(state.position);
}

function isUnknown({ error }: TaskFailure): boolean {
  return error.code === 'UNKNOWN_OUTCOME';
}
