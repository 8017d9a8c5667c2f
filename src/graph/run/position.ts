import { isUnknownOutcome } from '../values/errors.ts';
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
import type { CallState, ToolBatch } from './tool-batch.ts';

/** Returns the requested tool calls of a task at this position, with their states. */
export function batchOf(position: NodePosition): ToolBatch {
  return position.kind === 'agent' || position.kind === 'calls' ? position.batch : [];
}

/** Returns the scope of the graph inside a task at this position, or of the graphs that it runs as tool calls. */
export function scopeInside(position: NodePosition | SavedProgress | null): Scope | null {
  switch (position?.kind) {
    case 'subgraph':
      return position.scope;
    case 'agent':
    case 'calls':
      return position.inside ?? null;
    default:
      return null;
  }
}

/** True if a node of a graph has run, or runs. */
export function hasBegun({ visits }: Pick<Scope, 'visits'>): boolean {
  return Object.keys(visits).length > 0;
}

/** Returns a position with another scope inside. @throws TypeError if the position has none */
export function withScopeInside(position: NodePosition, scope: Scope): NodePosition {
  switch (position.kind) {
    case 'subgraph':
      return { ...position, scope };
    case 'agent':
    case 'calls':
      return { ...position, inside: scope };
    default:
      throw new TypeError(`There is no graph inside a task at position "${position.kind}"`);
  }
}

/** Returns the failure that a task at this position ends with after its open calls return. */
export function failingAt(position: NodePosition | SavedProgress | null): TaskFailure | null {
  return position && 'failing' in position ? (position.failing ?? null) : null;
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
    case 'failing':
      return position.call;
    default:
      return null;
  }
}

/** True if a task at this position waits for the result of a call. The calls of graphs inside are those of other tasks. */
export function awaitsResult(position: NodePosition, key: string): boolean {
  if (callAt(position)?.key === key) return true;
  return batchOf(position).some(({ state }) => state.phase === 'open' && state.key === key);
}

/** Returns the approvals that a task at this position waits for. */
export function approvalsAt(position: NodePosition): readonly string[] {
  if (position.kind === 'approval') return [position.approvalId];
  return batchOf(position).flatMap(({ state }) => (state.phase === 'asked' ? [state.approvalId] : []));
}

/**
 * True if a task's next call waits for `maxConcurrency`: an approved call, a tool call of a batch, or the model call
 * that follows an answered batch.
 */
export function wantsCapacity(position: NodePosition): boolean {
  if (failingAt(position)) return false;
  const batch = batchOf(position);
  return position.kind === 'approved' || hasReadyCall(batch) || (batch.length > 0 && isAnswered(batch));
}

/** Returns the budget needs of a task's model call that waits for budgets; `null` if no call waits. */
export function awaitedBudget(position: NodePosition): ModelNeeds | null {
  const turn = position.kind === 'llm' || position.kind === 'agent' ? position.turn : null;
  return turn?.key === null ? turn.needs : null;
}

/** True if a retry of a task can continue from this position. */
export function isResumable(position: NodePosition): position is ResumablePosition {
  return position.kind === 'agent' || position.kind === 'calls' || position.kind === 'subgraph';
}

/** Returns the work of a task that its retry must not repeat. */
export function savedProgressOf(state: TaskState): SavedProgress | null {
  if (state.phase === 'ready') return state.saved ?? null;
  return state.phase === 'open' ? progressAt(state.position) : null;
}

function progressAt(position: NodePosition): SavedProgress | null {
  if (position.kind === 'failing') return position.saved;
  return isResumable(position) ? position : null;
}

/** Returns the tasks of a graph's open superstep. */
export function tasksIn({ at }: Pick<Scope, 'at'>): readonly NodeTask[] {
  return at.kind === 'running' ? at.tasks : [];
}

/** Returns the triggers that are known without evaluating edges. An open superstep has none. */
export function triggersAt(at: ScopePosition): readonly Trigger[] {
  return at.kind === 'running' ? [] : at.triggers;
}

/** Returns the finished nodes whose edges have not been evaluated. */
export function finishedAt(at: ScopePosition): readonly string[] {
  return at.kind === 'edges' || at.kind === 'after' ? at.finished : [];
}

/** Returns the nodes of the breakpoint at which a graph is stopped. */
export function breakpointNodesAt(at: ScopePosition): readonly string[] {
  return at.kind === 'before' || at.kind === 'after' ? at.nodes : [];
}

/** Returns the unfinished nodes of an open superstep. Between supersteps, returns the triggered nodes. */
export function nextNodes({ at, deferred }: Pick<Scope, 'at' | 'deferred'>): readonly string[] {
  if (at.kind === 'after') return at.next;
  if (at.kind !== 'running') return namesOfNext({ triggers: triggersAt(at), deferred });
  return sortedNames(at.tasks.filter((task) => !isFinished(task)));
}

/** Returns the names of the triggered nodes. Deferred nodes follow when no other node is triggered. */
export function namesOfNext({ triggers, deferred }: SortedTriggers): readonly string[] {
  return sortedNames(triggers.length > 0 ? triggers : deferred);
}

/** The triggers of ordinary nodes, and those of deferred nodes. */
export interface SortedTriggers {
  readonly triggers: readonly Trigger[];
  readonly deferred: readonly Trigger[];
}

function sortedNames(nodes: readonly { readonly node: string }[]): readonly string[] {
  return [...new Set(nodes.map(({ node }) => node))].sort();
}

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

/** True if a task does no more work in its superstep. */
export function isOver(task: NodeTask): boolean {
  return isFinished(task) || task.state.phase === 'failed';
}
