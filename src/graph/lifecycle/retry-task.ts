import type { TaskInput } from '../nodes/behavior.ts';
import { isResumable } from '../run/position.ts';
import type { SavedProgress, SubgraphPosition, NodeTask, Scope } from '../run/scope.ts';
import { deliver } from '../superstep/deliver.ts';
import type { TaskHandle } from '../superstep/frames.ts';
import { startTask } from '../superstep/run-task.ts';
import { replaceTask } from '../superstep/scope-draft.ts';
import type { TaskFailure } from '../values/errors.ts';

/** Has the work of a task done again that has failed: a graph inside goes on from where it failed. */
export function retryTask(handle: TaskHandle): void {
  replaceTask(handle, again(handle.task));
}

/** Has a task ask again for what was withdrawn when its run ended. */
export function askAgain(handle: TaskHandle): void {
  replaceTask(handle, asking(handle.task));
}

/** Tells a task what a person has said about one of its calls; a task that was ended with its run begins first. */
export function tell(handle: TaskHandle, happening: TaskInput): void {
  if (handle.task.state.phase === 'ready') startTask(handle);
  deliver(handle, happening);
}

/**
 * A call that is known to have failed is made under a new key. Any other keeps its key, under which the ledger holds
 * how it ended: the person's order lets that claim be taken over.
 */
function again(task: NodeTask): NodeTask {
  const { state } = task;
  if (state.phase !== 'intervention' && state.phase !== 'failed') return task;
  if (state.saved) return goOn(task, state.saved);
  return { ...task, ...nextTry(task, state.failure), state: { phase: 'ready' } };
}

/** Calls that are made again keep their keys: the person's order lets their claims be taken over. */
function goOn(task: NodeTask, saved: SavedProgress): NodeTask {
  if (saved.kind === 'subgraph') {
    const position = { ...withNewClock(saved), scope: inside(saved.scope) };
    return { ...task, state: { phase: 'open', position } };
  }
  return { ...task, takeover: task.takeover + 1, state: { phase: 'ready', saved } };
}

/** A call that was called back keeps its key: the ledger holds what it did, and may be told to make it after all. */
function asking(task: NodeTask): NodeTask {
  const { state, takeover } = task;
  if (state.phase !== 'open') return task;
  if (state.position.kind === 'subgraph')
    return { ...task, state: { phase: 'open', position: withNewClock(state.position) } };
  if (isResumable(state.position)) return goOn(task, state.position);
  const isCall = state.position.kind === 'call' || state.position.kind === 'llm';
  return { ...task, takeover: isCall ? takeover + 1 : takeover, state: { phase: 'ready' } };
}

function nextTry(
  { retryRound, takeover }: NodeTask,
  { callFailed }: TaskFailure,
): Pick<NodeTask, 'retryRound' | 'takeover'> {
  return callFailed ? { retryRound: retryRound + 1, takeover } : { retryRound, takeover: takeover + 1 };
}

function withNewClock({ kind, scope, input }: SubgraphPosition): SubgraphPosition {
  return { kind, scope, input };
}

function inside(scope: Scope): Scope {
  return scope.at.kind === 'running' ? { ...scope, at: { ...scope.at, tasks: scope.at.tasks.map(onward) } } : scope;
}

/** What waits for a person inside a graph goes on waiting: nobody has said anything about it. */
function onward(task: NodeTask): NodeTask {
  const { state } = task;
  if (state.phase === 'open' && state.position.kind === 'subgraph') return goOn(task, state.position);
  return state.phase === 'failed' ? again(task) : asking(task);
}
