import { setState } from './frames.ts';
import type { NodeTask, Scope, TaskFailure, TaskState } from './scope.ts';
import type { TaskFrame } from './tasks.ts';

/** Has the work of a task done again that has failed: a graph inside goes on from where it failed. */
export function startAgain(of: TaskFrame): void {
  const task = again(of.task);
  setState({ ...of, task }, task.state);
}

/** Has a task ask again for what was withdrawn when its run ended. */
export function askAgain(of: TaskFrame): void {
  const task = asking(of.task);
  setState({ ...of, task }, task.state);
}

/**
 * A call that is known to have failed is made under a new key. Any other keeps its key, under which the ledger holds
 * how it ended: the person's order lets that claim be taken over.
 */
function again(task: NodeTask): NodeTask {
  const { state } = task;
  if (state.phase !== 'intervention' && state.phase !== 'failed') return task;
  if (state.inside)
    return { ...task, state: { phase: 'open', position: { ...state.inside, scope: inside(state.inside.scope) } } };
  return { ...task, ...nextTry(task, state.failure), state: READY };
}

const READY: TaskState = { phase: 'ready' };

/** A call that was called back keeps its key: the ledger holds what it did, and may be told to make it after all. */
function asking(task: NodeTask): NodeTask {
  const { state, order } = task;
  if (state.phase !== 'open' || state.position.kind === 'subgraph') return task;
  const isCall = state.position.kind === 'call' || state.position.kind === 'llm';
  return { ...task, order: isCall ? order + 1 : order, state: READY };
}

function nextTry({ round, order }: NodeTask, { callFailed }: TaskFailure): Pick<NodeTask, 'round' | 'order'> {
  return callFailed ? { round: round + 1, order } : { round, order: order + 1 };
}

function inside(scope: Scope): Scope {
  return {
    ...scope,
    superstep: scope.superstep && { tasks: scope.superstep.tasks.map((task) => asking(again(task))) },
  };
}
