import type { TaskFailure } from '../values/errors.ts';
import type {
  NodePosition,
  NodeTask,
  ResumablePosition,
  SavedProgress,
  Scope,
  ScopePosition,
  ShownCall,
  TaskState,
  Trigger,
} from './scope.ts';
import type { ModelNeeds } from './spending.ts';
import { hasReadyCall, isAnswered } from './tool-batch.ts';
import type { ToolBatch } from './tool-batch.ts';

/** Returns the requested tool calls of a task at this position, with their states. */
export function batchOf(position: NodePosition): ToolBatch {
  return position.kind === 'agent' || position.kind === 'calls' ? position.batch : [];
}

/** Returns the call that a task at this position waits for, a batch's calls excepted. */
export function callAt(position: NodePosition): ShownCall | null {
  switch (position.kind) {
    case 'call': {
      const { kind: _kind, ...call } = position;
      return call;
    }
    case 'llm':
    case 'agent': {
      const key = position.turn?.key ?? null;
      return key === null ? null : { key, args: null };
    }
    default:
      return null;
  }
}

/** Returns the approvals that a task at this position waits for. */
export function approvalsAt(position: NodePosition): readonly string[] {
  if (position.kind === 'approval') return [position.approvalId];
  return batchOf(position).flatMap(({ state }) => (state.phase === 'asked' ? [state.approvalId] : []));
}

/** True if a tool call, or an agent's model call after its answered tools, waits for `maxConcurrency`. */
export function wantsCapacity(position: NodePosition): boolean {
  const batch = batchOf(position);
  return position.kind === 'approved' || hasReadyCall(batch) || (batch.length > 0 && isAnswered(batch));
}

/** Returns the budget needs of a model call that waits for its budgets; `null` if none waits. */
export function awaitedBudget(position: NodePosition): ModelNeeds | null {
  const turn = position.kind === 'llm' || position.kind === 'agent' ? position.turn : null;
  return turn?.key === null ? turn.needs : null;
}

export function isResumable(position: NodePosition): position is ResumablePosition {
  return position.kind === 'agent' || position.kind === 'calls' || position.kind === 'subgraph';
}

/** Returns the tasks of a graph's open superstep. */
export function tasksIn({ at }: Pick<Scope, 'at'>): readonly NodeTask[] {
  return at.kind === 'running' ? at.tasks : [];
}

/** Returns the next triggers known before edges are evaluated; none in an open superstep. */
export function triggersAt(at: ScopePosition): readonly Trigger[] {
  return at.kind === 'running' ? [] : at.triggers;
}

/** Returns finished nodes whose edges are unevaluated. */
export function finishedAt(at: ScopePosition): readonly string[] {
  return at.kind === 'edges' || at.kind === 'after' ? at.finished : [];
}

/** Returns the nodes of the breakpoint at which a graph is stopped. */
export function stopsAt(at: ScopePosition): readonly string[] {
  return at.kind === 'before' || at.kind === 'after' ? at.nodes : [];
}

/** Returns the unfinished nodes of the open superstep, or else the triggered nodes. */
export function nextNodes({ at, deferred }: Pick<Scope, 'at' | 'deferred'>): readonly string[] {
  if (at.kind === 'after') return at.next;
  const triggers = triggersAt(at);
  const triggered = triggers.length > 0 ? triggers : deferred;
  const next = at.kind === 'running' ? at.tasks.filter((task) => !isSettled(task)) : triggered;
  return [...new Set(next.map(({ node }) => node))].sort();
}

/** Returns nodes with calls of unknown outcome; nodes inside subgraphs follow the enclosing nodes. */
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

/** True if a failed task has calls of unknown outcome, its own or inside it. */
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

/** A person who gives a task up settles its unknown outcome. */
function isTaskOutcomeUnknown(state: TaskState): boolean {
  return (state.phase === 'intervention' && isUnknownOutcome(state.failure)) || hasUnknownOutcome(positionOf(state));
}

function isUnknownOutcome({ error }: TaskFailure): boolean {
  return error.code === 'UNKNOWN_OUTCOME';
}

/** A task that is over without failure. */
export type SettledTask = NodeTask & { readonly state: TaskState & { readonly phase: 'completed' | 'diverted' } };

export function isSettled(task: NodeTask): task is SettledTask {
  return task.state.phase === 'completed' || task.state.phase === 'diverted';
}
