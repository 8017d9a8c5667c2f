import type {
  NodePosition,
  ResumablePosition,
  SavedProgress,
  Scope,
  VisibleCall,
  NodeTask,
  TaskState,
  TaskStateIn,
} from './scope.ts';
import type { ModelNeeds } from './limits.ts';
import type { TurnPosition } from './model-turn.ts';
import { hasReadyCall, isAnswered, openKey } from './tool-batch.ts';
import type { ToolBatch } from './tool-batch.ts';

/** Returns the requested tool calls of a task at this position, with their states. */
export function batchAtPosition(position: NodePosition): ToolBatch {
  if (position.kind === 'calls') return position.batch;
  return position.kind === 'agent' && position.stage.kind === 'batch' ? position.stage.batch : [];
}

/** Returns the model turn that a task at this position waits for; `null` for none. */
function turnAtPosition(position: NodePosition): TurnPosition | null {
  if (position.kind === 'llm') return position.turn;
  return position.kind === 'agent' && position.stage.kind === 'turn' ? position.stage.turn : null;
}

/** Returns the scope of the graph inside a task at this position, or of the graphs that it runs as tool calls. */
export function scopeInside(position: NodePosition | SavedProgress | null): Scope | null {
  switch (position?.kind) {
    case 'subgraph':
      return position.scope;
    case 'agent':
    case 'calls':
      return position.inside ?? null;
    case 'failing':
      return scopeInside(position.saved);
    default:
      return null;
  }
}

/** Returns a position with another scope inside. @throws TypeError if the position has none */
export function withScopeInside(position: NodePosition, scope: Scope): NodePosition {
  if (isResumable(position)) return progressWithScope(position, scope);
  if (position.kind === 'failing' && isResumable(position.saved))
    return { ...position, saved: progressWithScope(position.saved, scope) };
  throw new TypeError(`There is no graph inside a task at position "${position.kind}"`);
}

function progressWithScope(saved: ResumablePosition, scope: Scope): ResumablePosition {
  return saved.kind === 'subgraph' ? { ...saved, scope } : { ...saved, inside: scope };
}

/** Returns the call that a task at this position waits for, except calls of a batch. */
export function callAtPosition(position: NodePosition): VisibleCall | null {
  switch (position.kind) {
    case 'call': {
      const { kind: _kind, ...call } = position;
      return call;
    }
    case 'reading': {
      const { kind: _kind, given: _given, isApproved: _isApproved, ...call } = position;
      return call;
    }
    case 'llm':
    case 'agent': {
      const key = turnAtPosition(position)?.key ?? null;
      return key === null ? null : { key, args: null };
    }
    case 'failing':
      return position.call;
    default:
      return null;
  }
}

/** True if a task at this position waits for the result of a call. Calls of graphs inside belong to other tasks. */
export function awaitsResult(position: NodePosition, key: string): boolean {
  if (callAtPosition(position)?.key === key) return true;
  return batchAtPosition(position).some(({ state }) => openKey(state) === key);
}

/** Returns the approvals that a task at this position has requested. */
export function approvalsAtPosition(position: NodePosition): readonly string[] {
  if (position.kind === 'approval') return [position.approvalId];
  const requested = position.kind === 'failing' && isResumable(position.saved) ? position.saved : position;
  return batchAtPosition(requested).flatMap(({ state }) => (state.phase === 'asked' ? [state.approvalId] : []));
}

/**
 * True if a task's next call waits for `maxConcurrency`: an approved call, a tool call of a batch, or the model call
 * that follows an answered batch.
 */
export function wantsCapacity(position: NodePosition): boolean {
  const batch = batchAtPosition(position);
  return position.kind === 'approved' || hasReadyCall(batch) || (batch.length > 0 && isAnswered(batch));
}

/** Returns the budget needs of a task's model call that waits for budgets; `null` if no call waits. */
export function awaitedBudget(position: NodePosition): ModelNeeds | null {
  const turn = turnAtPosition(position);
  return turn?.key === null ? turn.needs : null;
}

/** True if a retry of a task can continue from this position. */
export function isResumable(position: NodePosition | SavedProgress | null): position is ResumablePosition {
  return position?.kind === 'agent' || position?.kind === 'calls' || position?.kind === 'subgraph';
}

/** Returns the finished work of an open task at this position, from which a retry continues. */
export function progressAtPosition(position: NodePosition): SavedProgress | null {
  if (position.kind === 'failing') return position.saved;
  return isResumable(position) ? position : null;
}

/** Returns the graph inside a task that is open, or whose progress is saved. */
export function scopeInTask(state: TaskState): Scope | null {
  return scopeInside(state.phase === 'open' ? state.position : 'saved' in state ? (state.saved ?? null) : null);
}

/** Returns the work of a task that its retry must not repeat. */
export function savedProgressOf(state: TaskState): SavedProgress | null {
  if (state.phase === 'ready') return state.saved ?? null;
  return state.phase === 'open' ? progressAtPosition(state.position) : null;
}

/** A failed task; the failure is final unless a person retries or intervenes. */
export type FailedState = TaskStateIn<'failed' | 'intervention'>;

export function hasFailed(state: TaskState): state is FailedState {
  return state.phase === 'failed' || state.phase === 'intervention';
}

/** True for a failed task that has saved a part of its work. Some of its calls may still be open. */
export function hasResumableProgress(state: TaskState): state is FailedState & { readonly saved: ResumablePosition } {
  return hasFailed(state) && state.saved !== null && state.saved.kind !== 'finished';
}

/** A completed task, or a failed one whose `onError` has chosen another node. Both have an update to write. */
export type FinishedTask = NodeTask & { readonly state: TaskStateIn<'completed' | 'diverted'> };

export function isFinished(task: NodeTask): task is FinishedTask {
  return task.state.phase === 'completed' || task.state.phase === 'diverted';
}

/** True for a task that has never begun, or that a retry restarts from nothing. */
export function hasNotBegun({ state, retryRound, takeover }: NodeTask): boolean {
  return state.phase === 'ready' && state.saved === undefined && retryRound === 0 && takeover === 0;
}

/** True if a task does no more work in its superstep. */
export function isTaskOver(task: NodeTask): boolean {
  return isFinished(task) || task.state.phase === 'failed';
}
