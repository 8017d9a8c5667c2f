import type { OnError } from '../compile/compile.ts';
import {
  isUsedUp,
  withTaskAllowance,
  cancelTimersAndApprovalsOf,
  emitTask,
  taskBindings,
  childFrame,
  isWithinTask,
} from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { requireRoom, setState } from '../draft/scope-draft.ts';
import type { FailingPosition, SavedProgress, TaskState } from '../run/scope.ts';
import { toggleCountdown } from '../run/limits.ts';
import { isClosing } from '../run/status.ts';
import { callAtPosition, scopeInside } from '../run/task-position.ts';
import { countUnknownOutcomes, hasUnknownOutcome } from '../run/unknown-outcomes.ts';
import { failsTheRun, GraphError, isUnknownOutcome, MAX_MESSAGE, toRunError } from '../values/errors.ts';
import type { DeferredFailure, RunError, TaskFailure } from '../values/errors.ts';
import { abbreviate } from '../values/text.ts';
import { isSamePath } from '../run/ids.ts';

/** Ends a task with its failure, and cancels what it waits for. @returns the task's next state */
export function failTask(
  handle: TaskHandle,
  { callFailed, error, intervenes }: TaskFailure,
  saved: SavedProgress | null,
): TaskState {
  const { attempts = 1 } = error;
  const failure: TaskFailure = {
    callFailed,
    error: addErrorLocation(handle, error),
    ...(intervenes && { intervenes }),
  };
  emitTask(handle, { type: 'node.failed', error: failure.error, attempts });
  cancelTimersAndApprovalsOf(handle);
  return failAfterCalls(handle, failure, saved) ?? stateAfterFailure(handle, failure, saved);
}

/** Ends a failed task with graphs inside after its open calls return. @returns true if it has ended */
export function endFailingTask(handle: TaskHandle): boolean {
  const { state } = handle.task;
  if (state.phase !== 'open' || state.position.kind !== 'failing' || callsWithin(handle).length > 0) return false;
  cancelTimersAndApprovalsOf(handle);
  setState(handle, stateAfterLastCall(handle, state.position));
  return true;
}

/** Returns the state of a failed task whose open calls have returned. */
function stateAfterLastCall(handle: TaskHandle, { failing, saved }: FailingPosition): TaskState {
  const { givenUp, ...failure } = failing;
  if (!givenUp) return stateAfterFailure(handle, failure, saved);
  return stateAfterLateResults(handle, failure, saved, givenUp.unknownCount);
}

/**
 * Returns the state of a failed task once its open calls have returned: failed, or waiting for a person if the outcome
 * of one of these calls is unknown.
 * @param unknownCount the number of calls whose outcome was unknown before
 */
export function stateAfterLateResults(
  { draft }: TaskHandle,
  failure: TaskFailure,
  saved: SavedProgress | null,
  unknownCount: number,
): TaskState {
  if (countUnknownOutcomes(saved) <= unknownCount) return { phase: 'failed', failure, saved };
  return { phase: 'intervention', failure, since: draft.timestamp, saved, call: null };
}

/** Returns the state of a failed task without open calls, as determined by its `onError`. */
export function stateAfterFailure(handle: TaskHandle, failure: TaskFailure, saved: SavedProgress | null): TaskState {
  const { draft, node } = handle;
  const { error } = failure;
  if (isClosing(draft.run)) return { phase: 'failed', failure, saved: null };
  const { state } = handle.task;
  const call = state.phase === 'open' ? callAtPosition(state.position) : null;
  const intervention = { phase: 'intervention', failure, since: draft.timestamp, saved, call } as const;
  if (leavesUnknownOutcome(handle, error, saved)) return intervention;
  const reaction: OnError = failure.intervenes ? { kind: 'intervene' } : node.onError;
  const onError: OnError = failsTheRun(error) || isUsedUp(draft) ? { kind: 'fail' } : reaction;
  switch (onError.kind) {
    case 'fail':
      return { phase: 'failed', failure, saved };
    case 'intervene':
      return intervention;
    case 'goto':
      return stateAfterGoto(handle, onError, failure, saved);
  }
}

/** True if a person must settle the unknown outcome of a call of the task or inside it, whatever `onError` says. */
function leavesUnknownOutcome({ node }: TaskHandle, error: RunError, saved: SavedProgress | null): boolean {
  return hasUnknownOutcome(saved) || (!node.subgraph && isUnknownOutcome(error));
}

function stateAfterGoto(
  handle: TaskHandle,
  { to, write }: Extract<OnError, { readonly kind: 'goto' }>,
  failure: TaskFailure,
  saved: SavedProgress | null,
): TaskState {
  const { code, message, node = '', attempts = 1 } = failure.error;
  const bindings = { ...taskBindings(handle), error: { code, message, node, attempts } };
  try {
    const update = withTaskAllowance(handle, () => write(bindings));
    const diverted = { phase: 'diverted', to, failure, saved, update } as const;
    requireRoom(handle, diverted);
    return diverted;
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return { phase: 'failed', failure: { ...failure, error: { ...toRunError(error), node } }, saved };
  }
}

/**
 * Adds the location to an error. The message is cut, because it may quote a person's reason or an answer from outside.
 */
export function addErrorLocation({ node, frame }: TaskHandle, error: RunError): RunError {
  const { attempts = 1 } = error;
  const message = abbreviate(error.message, MAX_MESSAGE);
  return { ...error, message, attempts, node: node.id, step: frame.scope.step };
}

/** Returns the keys of open calls of a task and of the tasks inside it. */
function callsWithin({ draft, taskPath: path }: TaskHandle): readonly string[] {
  return Object.entries(draft.run.calls).flatMap(([key, { taskPath }]) => (isWithinTask(taskPath, path) ? [key] : []));
}

/** Returns the keys of open calls of a task itself. */
export function openCallKeys({ draft, taskPath }: TaskHandle): readonly string[] {
  return Object.entries(draft.run.calls).flatMap(([key, call]) => (isSamePath(call.taskPath, taskPath) ? [key] : []));
}

/**
 * Cancels the open calls of a failed task. The task fails after their results, because a node never ends before its
 * calls.
 * @returns the state in which it waits for them; `null` if there are none
 */
function failAfterCalls(handle: TaskHandle, failing: TaskFailure, saved: SavedProgress | null): TaskState | null {
  return failAfterCallsWithin(handle, failing, saved) ?? cancelAndWait(handle, openCallKeys(handle), failing, saved);
}

/**
 * Cancels the open calls of a failed task with graphs inside. The task fails after their results.
 * @returns the state in which it waits for them; `null` if there are none
 */
export function failAfterCallsWithin(
  handle: TaskHandle,
  failing: DeferredFailure,
  saved: SavedProgress | null,
): TaskState | null {
  if (!scopeInside(saved) || !childFrame(handle)) return null;
  return cancelAndWait(handle, callsWithin(handle), failing, stopCountdown(saved, handle.draft.now));
}

/** Stops the deadline of a failed subgraph, so that waiting for its calls costs no time of an enclosing one. */
function stopCountdown(saved: SavedProgress | null, now: number): SavedProgress | null {
  if (saved?.kind !== 'subgraph' || !saved.countdown) return saved;
  return { ...saved, countdown: toggleCountdown(saved.countdown, false, now) ?? saved.countdown };
}

function cancelAndWait(
  { draft }: TaskHandle,
  calls: readonly string[],
  failing: DeferredFailure,
  saved: SavedProgress | null,
): TaskState | null {
  if (calls.length === 0) return null;
  for (const key of calls) draft.cancelCall(key);
  return { phase: 'open', position: { kind: 'failing', failing, saved, call: null } };
}
