import type { TaskFailure } from '../values/errors.ts';
import type {
  NodePosition,
  NodeTask,
  ResumablePosition,
  SavedProgress,
  Scope,
  ScopePosition,
  TaskState,
  Trigger,
} from './scope.ts';
import type { ModelNeeds } from './spending.ts';
import { hasReadyCall, isAnswered } from './tool-batch.ts';
import type { ToolBatch } from './tool-batch.ts';

/** The tool calls that a task at this position has been asked to make, with their states. */
export function batchOf(position: NodePosition): ToolBatch {
  return position.kind === 'agent' || position.kind === 'calls' ? position.batch : [];
}

/** The approvals that a task at this position has asked for and waits for. */
export function approvalsAt(position: NodePosition): readonly string[] {
  if (position.kind === 'approval') return [position.approvalId];
  return batchOf(position).flatMap(({ state }) => (state.phase === 'asked' ? [state.approvalId] : []));
}

/** Whether a call waits until one more of the run's calls may be out: a tool's, or that of the model that is told of all. */
export function wantsCapacity(position: NodePosition): boolean {
  const batch = batchOf(position);
  return position.kind === 'approved' || hasReadyCall(batch) || (batch.length > 0 && isAnswered(batch));
}

/** What the call of a model needs of the budgets that waits until there is room for it; `null`: none does. */
export function awaitedBudget(position: NodePosition): ModelNeeds | null {
  const turn = position.kind === 'llm' || position.kind === 'agent' ? position.turn : null;
  return turn?.key === null ? turn.needs : null;
}

export function isResumable(position: NodePosition): position is ResumablePosition {
  return position.kind === 'agent' || position.kind === 'calls' || position.kind === 'subgraph';
}

/** The tasks of the superstep that is open in a graph. */
export function tasksIn({ at }: Pick<Scope, 'at'>): readonly NodeTask[] {
  return at.kind === 'running' ? at.tasks : [];
}

/** What runs next whatever the edges say that are still to be evaluated; an open superstep leads to nothing yet. */
export function triggersAt(at: ScopePosition): readonly Trigger[] {
  return at.kind === 'running' ? [] : at.triggers;
}

/** Nodes that have finished and whose edges are still to be evaluated. */
export function finishedAt(at: ScopePosition): readonly string[] {
  return at.kind === 'edges' || at.kind === 'after' ? at.finished : [];
}

/** The nodes before or after which a graph stands at a breakpoint. */
export function stopsAt(at: ScopePosition): readonly string[] {
  return at.kind === 'before' || at.kind === 'after' ? at.nodes : [];
}

/** The nodes that run next: those of the open superstep that have not finished, else those that were triggered. */
export function nextNodes({ at, deferred }: Pick<Scope, 'at' | 'deferred'>): readonly string[] {
  if (at.kind === 'after') return at.next;
  const triggers = triggersAt(at);
  const triggered = triggers.length > 0 ? triggers : deferred;
  const next = at.kind === 'running' ? at.tasks.filter((task) => !isSettled(task)) : triggered;
  return [...new Set(next.map(({ node }) => node))].sort();
}

/** Nodes of a graph with calls of which nobody knows what they did; those inside subgraphs after the nodes around them. */
export function nodesWithUnknownOutcome(scope: Scope): readonly string[] {
  return tasksIn(scope).flatMap(({ node, index, state }) => {
    if (!isTaskOutcomeUnknown(state)) return [];
    const name = index === null ? node : `${node}[${index}]`;
    const position = positionOf(state);
    return position?.kind === 'subgraph'
      ? nodesWithUnknownOutcome(position.scope).map((inside) => `${name}/${inside}`)
      : [name];
  });
}

function positionOf(state: TaskState): SavedProgress | null {
  if (state.phase === 'intervention') return state.saved;
  return state.phase === 'open' && isResumable(state.position) ? state.position : null;
}

/** Whether a task that has failed leaves calls of which nobody knows what they did, its own or inside it. */
export function hasUnknownOutcome(kept: SavedProgress | null): boolean {
  switch (kept?.kind) {
    case 'subgraph':
      return tasksIn(kept.scope).some(({ state }) => isTaskOutcomeUnknown(state));
    case 'agent':
    case 'calls':
      return kept.batch.some(({ state }) => state.phase === 'intervention' && isUnknownOutcome(state.failure));
    default:
      return false;
  }
}

/** One that a person has given up is in doubt no more. */
function isTaskOutcomeUnknown(state: TaskState): boolean {
  return (state.phase === 'intervention' && isUnknownOutcome(state.failure)) || hasUnknownOutcome(positionOf(state));
}

function isUnknownOutcome({ error }: TaskFailure): boolean {
  return error.code === 'UNKNOWN_OUTCOME';
}

/** A task that is over, and has not failed. */
export type SettledTask = NodeTask & { readonly state: TaskState & { readonly phase: 'completed' | 'diverted' } };

export function isSettled(task: NodeTask): task is SettledTask {
  return task.state.phase === 'completed' || task.state.phase === 'diverted';
}
