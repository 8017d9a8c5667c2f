import type { TaskInput } from '../nodes/behavior.ts';
import { isResumable } from '../run/position.ts';
import type { SavedProgress, SubgraphPosition, NodeTask, Scope } from '../run/scope.ts';
import { deliver } from '../superstep/deliver.ts';
import type { TaskHandle } from '../superstep/frames.ts';
import { startTask } from '../superstep/run-task.ts';
import { replaceTask } from '../superstep/scope-draft.ts';
import type { TaskFailure } from '../values/errors.ts';

/** Retries a failed task; a subgraph continues from the failed tasks inside it. */
export function retryTask(handle: TaskHandle): void {
  replaceTask(handle, again(handle.task));
}

/** Repeats a task's requests that were canceled when its run ended. */
export function askAgain(handle: TaskHandle): void {
  replaceTask(handle, asking(handle.task));
}

/** Delivers a person's intervention to a task; a task that ended with its run begins first. */
export function tell(handle: TaskHandle, happening: TaskInput): void {
  if (handle.task.state.phase === 'ready') startTask(handle);
  deliver(handle, happening);
}

/**
 * Gives a call that is known to have failed a new key. Other calls keep their keys and the ledger's result: the
 * person's order takes the claim over.
 */
function again(task: NodeTask): NodeTask {
  const { state } = task;
  if (state.phase !== 'intervention' && state.phase !== 'failed') return task;
  if (state.saved) return goOn(task, state.saved);
  return { ...task, ...nextTry(task, state.failure), state: { phase: 'ready' } };
}

/** Calls keep their keys when repeated: the person's order takes their claims over. */
function goOn(task: NodeTask, saved: SavedProgress): NodeTask {
  if (saved.kind === 'subgraph') {
    const position = { ...withNewClock(saved), scope: inside(saved.scope) };
    return { ...task, state: { phase: 'open', position } };
  }
  return { ...task, takeover: task.takeover + 1, state: { phase: 'ready', saved } };
}

/** A canceled call keeps its key: the ledger holds its result, or accepts a new attempt. */
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

/** Tasks that wait for an intervention inside a subgraph keep waiting, as the order does not concern them. */
function onward(task: NodeTask): NodeTask {
  const { state } = task;
  if (state.phase === 'open' && state.position.kind === 'subgraph') return goOn(task, state.position);
  return state.phase === 'failed' ? again(task) : asking(task);
}
