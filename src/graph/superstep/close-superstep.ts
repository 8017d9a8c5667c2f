import type { TaskWrite } from '../channels/apply-writes.ts';
import { END } from '../definition/definition.ts';
import { tasksOfFrame } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import {
  moveToPosition,
  restorePosition,
  advanceStep,
  setChannels,
  setState,
  writeChannels,
} from '../draft/scope-draft.ts';
import type { Checkpoint } from '../journal/resume-point.ts';
import type { TaskKey } from '../run/ids.ts';
import type { NodeTask, TaskState, Trigger } from '../run/scope.ts';
import { isClosing } from '../run/status.ts';
import { isFinished } from '../run/task-position.ts';
import type { FinishedTask } from '../run/task-position.ts';
import type { RunError } from '../values/errors.ts';
import { stopAtBreakpointAfter } from './open-superstep.ts';
import { sortTriggers, triggerNextNodes } from './edges.ts';
import { saveCheckpoint } from './save-checkpoint.ts';

/**
 * Closes a superstep: applies writes, evaluates edges on the new state, and saves a checkpoint.
 * @returns the error of a write or an edge, which fails the graph
 */
export function closeSuperstep(frame: Frame, tasks: readonly FinishedTask[]): RunError | null {
  const { draft } = frame;
  const { step, deferred } = frame.scope;
  const applied = writeChannels(frame, tasks.map(toTaskWrite));
  if (!applied.ok) return failWriters(frame, applied.error, applied.culprits);
  if (frame.path.length === 0) draft.setCounted([]);
  const visited = tasks.map(({ node }) => node);
  if (restoreFailedPosition(frame)) {
    saveCheckpoint(frame, { source: 'loop', step, visited }, applied.changes);
    return null;
  }
  resetEphemeral(frame, applied.changes);
  const chosen = sortTriggers(frame, chosenTargets(tasks));
  const finished = isOnCancelStep(frame) ? [] : tasks.filter(takesEdges).map(({ node }) => node);
  moveToPosition(frame, { kind: 'edges', finished, triggers: chosen.triggers }, addDeferred(deferred, chosen.deferred));
  const failure = stopAtBreakpointAfter(frame, visited) ? null : triggerNextNodes(frame);
  saveCheckpoint(frame, { source: 'loop', step, visited }, applied.changes);
  advanceStep(frame);
  return failure;
}

function toTaskWrite({ key, node, state }: FinishedTask): TaskWrite {
  return { by: key, node, update: state.update };
}

/** Fails the nodes whose writes can't be applied. All nodes keep their work. */
function failWriters(frame: Frame, error: RunError, culprits: readonly TaskKey[]): RunError {
  const failed: RunError = { ...error, step: frame.step, attempts: 1 };
  const atFault = new Set(culprits);
  for (const handle of tasksOfFrame(frame)) {
    const { task } = handle;
    if (isFinished(task) && atFault.has(task.key))
      setState(handle, failedState(task.state, { ...failed, node: task.node }));
  }
  return failed;
}

/**
 * Returns the failed state of a finished task. A retry repeats a completed node's write; a node whose `onError` had
 * chosen another node is retried like a failed one.
 */
function failedState(state: FinishedTask['state'], error: RunError): TaskState {
  if (state.phase === 'diverted') return { phase: 'failed', failure: { ...state.failure, error }, saved: state.saved };
  const { outcome } = state;
  return { phase: 'failed', failure: { callFailed: false, error }, saved: { kind: 'finished', outcome } };
}

/** Resets ephemeral channels that this superstep did not write. */
function resetEphemeral(frame: Frame, changes: Checkpoint['changes']): void {
  const unwritten = frame.graph.ephemeral.filter(({ name }) => !Object.hasOwn(changes, name));
  if (unwritten.length === 0) return;
  setChannels(frame, Object.fromEntries(unwritten.map(({ name, initial }) => [name, initial])));
}

/** Returns the targets chosen by nodes themselves or by their `onError`. */
function chosenTargets(tasks: readonly FinishedTask[]): readonly Trigger[] {
  const targets = tasks.flatMap(({ state }) => (state.phase === 'diverted' ? [state.to] : (state.goto?.nodes ?? [])));
  return [...new Set(targets)].filter((node) => node !== END).map((node) => ({ node }));
}

/**
 * Moves a run back to where it has failed, once its `onFail` node has finished, so that a retry continues there.
 * @returns false for a graph inside, and for a run in another phase
 */
export function restoreFailedPosition(frame: Frame): boolean {
  const { draft, path } = frame;
  const { phase } = draft.run;
  if (path.length > 0 || phase.kind !== 'closing-failed') return false;
  restorePosition(frame, phase.failedAt);
  draft.setCounted(phase.failedAt.counted);
  return true;
}

/** True for the `onCancel` superstep, whose edges do not apply. */
function isOnCancelStep({ draft, path }: Frame): boolean {
  return path.length === 0 && isClosing(draft.run);
}

function takesEdges({ state }: NodeTask): boolean {
  return state.phase === 'completed' && state.goto?.ignoresEdges !== true;
}

/** Adds deferred nodes; each is deferred once, however often it is triggered. */
function addDeferred(deferred: readonly Trigger[], more: readonly Trigger[]): readonly Trigger[] {
  const known = new Set(deferred.map(({ node }) => node));
  return [...deferred, ...more.filter(({ node }) => !known.has(node))];
}
