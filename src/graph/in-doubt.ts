import { isKept } from './nodes/position.ts';
import type { KeptPosition } from './nodes/position.ts';
import type { Scope, TaskFailure, TaskState } from './scope.ts';

/** Nodes of a graph with calls of which nobody knows what they did; those inside subgraphs after the nodes around them. */
export function nodesInDoubt({ superstep }: Scope): readonly string[] {
  return (superstep?.tasks ?? []).flatMap(({ node, index, state }) => {
    if (!isTaskInDoubt(state)) return [];
    const name = index === null ? node : `${node}[${index}]`;
    const position = positionOf(state);
    return position?.kind === 'subgraph' ? nodesInDoubt(position.scope).map((inside) => `${name}/${inside}`) : [name];
  });
}

function positionOf(state: TaskState): KeptPosition | null {
  if (state.phase === 'intervention') return state.kept;
  return state.phase === 'open' && isKept(state.position) ? state.position : null;
}

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
  return (state.phase === 'intervention' && isUnknown(state.failure)) || isInDoubt(positionOf(state));
}

function isUnknown({ error }: TaskFailure): boolean {
  return error.code === 'UNKNOWN_OUTCOME';
}
