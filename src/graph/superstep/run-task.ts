import { withTaskAllowance } from '../draft/allowances.ts';
import { cancelTimersAndApprovalsOf, cancelTimersOf } from '../draft/cancel-requests.ts';
import { emitTask } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { requireRoom, setState } from '../draft/scope-draft.ts';
import type { TaskInput, Progress } from '../nodes/behavior.ts';
import { withBegunCalls } from '../nodes/tool-calls/begun-calls.ts';
import type { NodePosition, TaskState } from '../run/scope.ts';
import { savedProgressOf } from '../run/task-state.ts';
import { toRunError } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import { failTask } from './fail-task.ts';
import { finishTask } from './finish-task.ts';
import { TaskServices } from './task-services.ts';

/** Starts a ready task. */
export function startTask(handle: TaskHandle): void {
  emitTask(handle, { type: 'node.started' });
  advanceTask(handle, () => {
    if (handle.task.visit > handle.node.maxVisits) return { kind: 'failed', failure: tooManyVisits(handle) };
    return startOrRestart(handle);
  });
}

function startOrRestart(handle: TaskHandle): Progress {
  const { state } = handle.task;
  const { behavior } = handle.node;
  const saved = 'saved' in state ? state.saved : null;
  if (saved?.kind === 'finished') return saved.outcome;
  if (saved && behavior.restart) return behavior.restart(new TaskServices(handle), saved);
  return behavior.start(new TaskServices(handle));
}

/** Resumes a waiting task with an input; an ended task is ignored. */
export function resumeTask(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  const { behavior } = handle.node;
  if (state.phase === 'open')
    advanceTask(handle, () => behavior.resume(new TaskServices(handle), state.position, input));
}

/** Withdraws what an open task has asked people, and begins its work anew in the same visit. */
export function askAgain(handle: TaskHandle): void {
  cancelTimersAndApprovalsOf(handle);
  advanceTask(handle, () => handle.node.behavior.start(new TaskServices(handle)));
}

function advanceTask(handle: TaskHandle, step: () => Progress): void {
  setState(handle, takeStep(handle, step));
}

/** Takes a step of a task. @returns the task's next state; a thrown error becomes the task's failure */
function takeStep(handle: TaskHandle, step: () => Progress): TaskState {
  try {
    const progress = withTaskAllowance(handle, step);
    switch (progress.kind) {
      case 'open':
        return openTask(handle, progress.position);
      case 'done':
      case 'commanded':
        if (handle.node.deadlineMs !== null) cancelTimersOf(handle);
        return finishTask(handle, progress);
      case 'failed':
        return failTask(handle, progress.failure, progress.saved ?? savedProgressOf(handle.task.state));
    }
  } catch (error) {
    return failTask(handle, { callFailed: false, error: toRunError(error) }, savedProgressOf(handle.task.state));
  }
}

/** Opens a task at a position. A task that lacks the room for it fails, and saves which of its calls have begun. */
function openTask(handle: TaskHandle, position: NodePosition): TaskState {
  const state = { phase: 'open', position } as const;
  try {
    requireRoom(handle, state);
    return state;
  } catch (error) {
    const saved = withBegunCalls(savedProgressOf(handle.task.state), position);
    return failTask(handle, { callFailed: false, error: toRunError(error) }, saved);
  }
}

function tooManyVisits({ node, task }: TaskHandle): TaskFailure {
  const message = `Node "${node.id}" would run for the ${task.visit}th time; its maxVisits is ${node.maxVisits}`;
  return { callFailed: false, error: { code: 'MAX_VISITS_EXCEEDED', message } };
}
