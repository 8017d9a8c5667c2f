import type { TaskHandle } from '../draft/frames.ts';
import { replaceTask } from '../draft/scope-draft.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import { resetBatch } from '../nodes/tool-calls/run-batch.ts';
import { hasScopeBegun } from '../run/scope-position.ts';
import type {
  AgentPosition,
  CallsPosition,
  NodePosition,
  NodeTask,
  SavedProgress,
  Scope,
  SubgraphPosition,
} from '../run/scope.ts';
import { batchAtPosition, progressAtPosition, scopeInside, hasFailed } from '../run/task-position.ts';
import { deliverInput } from '../superstep/deliver.ts';
import { startTask } from '../superstep/run-task.ts';
import type { TaskFailure } from '../values/errors.ts';

/*
 * When a person repeats a call, it either gets a new key (`retryRound`) or takes over the claim of the old key
 * (`takeover`). Under the old key, the ledger returns a recorded result instead of making a second call.
 */

/** Retries a failed task. A subgraph continues from the failed tasks inside it. */
export function retryTask(handle: TaskHandle): void {
  replaceTask(handle, readyToRetry(handle.task));
}

/** Repeats the requests of an open task of an ended run. They were canceled when the run ended. */
export function repeatRequests(handle: TaskHandle): void {
  replaceTask(handle, repeatRequest(handle.task));
}

/** Delivers a person's intervention to a task. A task of a reopened run is ready again, and starts first. */
export function deliverIntervention(handle: TaskHandle, input: TaskInput): void {
  if (handle.task.state.phase === 'ready') startTask(handle);
  deliverInput(handle, input);
}

/** Returns a failed task ready to run again. A task without saved progress starts anew. */
function readyToRetry(task: NodeTask): NodeTask {
  const { state } = task;
  return hasFailed(state) ? retryAfterFailure(task, state.failure, state.saved) : task;
}

function retryAfterFailure(task: NodeTask, failure: TaskFailure, saved: SavedProgress | null): NodeTask {
  return saved
    ? continueFromSaved(task, saved)
    : { ...task, ...nextCallNumbers(task, failure), state: { phase: 'ready' } };
}

/**
 * Returns an open task ready to repeat its request. A task that waits for one call repeats the call under the same key;
 * a task that waits for a person asks again.
 */
function repeatRequest(task: NodeTask): NodeTask {
  const { state, takeover } = task;
  if (state.phase !== 'open') return task;
  const { position } = state;
  const saved = progressAtPosition(position);
  if (saved?.kind === 'subgraph') return continuedGraph(task, saved, saved.scope);
  if (saved && holdsGraphs(saved)) return withOpenGraphs(task, saved, saved.inside);
  if (position.kind === 'failing') return retryAfterFailure(task, position.failing, saved);
  if (saved) return continueFromSaved(task, saved);
  const isCall = position.kind === 'call' || position.kind === 'llm';
  return { ...task, takeover: isCall ? takeover + 1 : takeover, state: { phase: 'ready' } };
}

/** The task continues from saved progress, and repeats its calls under the same keys. */
function continueFromSaved(task: NodeTask, saved: SavedProgress): NodeTask {
  if (saved.kind === 'subgraph') return continuedGraph(task, saved, continuedScope(saved.scope));
  if (holdsGraphs(saved)) return withOpenGraphs(task, saved, continuedScope(saved.inside));
  return { ...task, takeover: task.takeover + 1, state: { phase: 'ready', saved } };
}

type HoldsGraphs = (AgentPosition | CallsPosition) & { readonly inside: Scope };

function holdsGraphs(saved: SavedProgress): saved is HoldsGraphs {
  return (saved.kind === 'agent' || saved.kind === 'calls') && saved.inside !== undefined;
}

/** A task with graphs as tool calls stays open, so that the tasks inside stay; its other calls begin again. */
function withOpenGraphs(task: NodeTask, { countdown: _over, ...saved }: HoldsGraphs, inside: Scope): NodeTask {
  const batch = resetBatch(batchAtPosition(saved), inside);
  const position: NodePosition =
    saved.kind === 'agent' ? { ...saved, inside, stage: { kind: 'batch', batch } } : { ...saved, inside, batch };
  return { ...task, takeover: task.takeover + 1, state: { phase: 'open', position } };
}

function continuedScope(scope: Scope): Scope {
  if (scope.at.kind !== 'running') return scope;
  return { ...scope, at: { ...scope.at, tasks: scope.at.tasks.map(continuedInside) } };
}

/**
 * Continues the tasks inside a subgraph. Those that wait for an intervention keep waiting, because the retry names the
 * subgraph's node.
 */
function continuedInside(task: NodeTask): NodeTask {
  const { state } = task;
  const saved = state.phase === 'open' ? progressAtPosition(state.position) : null;
  if (saved && scopeInside(saved)) return continueFromSaved(task, saved);
  return state.phase === 'failed' ? readyToRetry(task) : repeatRequest(task);
}

/**
 * Returns the number of the next call. A call that is known to have failed gets a new key; any other keeps its key,
 * because it was possibly executed.
 */
function nextCallNumbers(
  { retryRound, takeover }: NodeTask,
  { callFailed }: TaskFailure,
): Pick<NodeTask, 'retryRound' | 'takeover'> {
  return callFailed ? { retryRound: retryRound + 1, takeover } : { retryRound, takeover: takeover + 1 };
}

/**
 * Continues a graph at its current position, with a new countdown. A graph in which no node has run is entered again.
 */
function continuedGraph(task: NodeTask, { kind, input }: SubgraphPosition, scope: Scope): NodeTask {
  const position = { kind, scope, input };
  return { ...task, state: hasScopeBegun(scope) ? { phase: 'open', position } : { phase: 'ready', saved: position } };
}
