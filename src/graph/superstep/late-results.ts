import { withOwnAllowance } from '../draft/allowances.ts';
import { hasRoom } from '../draft/draft.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { setState } from '../draft/scope-draft.ts';
import { isCallResult } from '../nodes/behavior.ts';
import type { CallResultInput, TaskInput } from '../nodes/behavior.ts';
import { bytesOf } from '../run/held-bytes.ts';
import type { FailingPosition, ResumablePosition, ShownCall } from '../run/scope.ts';
import { awaitsResult } from '../run/task-position.ts';
import { hasResumableProgress } from '../run/task-state.ts';
import { countUnknownOutcomes } from '../run/unknown-outcomes.ts';
import { isUnknownOutcome } from '../values/errors.ts';
import { callsOf } from './fail-after-calls.ts';
import { stateAfterFailure, stateAfterLateResults, withLocation } from './fail-task.ts';
import { TaskServices } from './task-services.ts';

/*
 * Results of calls that come after their task has failed. What they say is saved for a retry, and a person is asked about
 * a call that is lost.
 */

/** Saves a call's result for the retry of a task that has failed for good, or that waits for a person. */
export function saveLateResult(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  if (!hasResumableProgress(state)) return;
  const saved = withLateResult(handle, state.saved, input);
  if (state.phase === 'intervention') return setState(handle, { ...state, saved });
  const unknownCount = countUnknownOutcomes(state.saved);
  setState(handle, stateAfterLateResults(handle, { failure: state.failure, saved, unknownCount }));
}

/** Takes the result of an open call of a task that has failed. The task ends after the last one. */
export function takeLastResult(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  if (state.phase !== 'open' || state.position.kind !== 'failing' || !isCallResult(input)) return;
  const position = afterResult(handle, state.position, input);
  setState(handle, { phase: 'open', position });
  if (callsOf(handle).length === 0) setState(handle, stateAfterFailure(handle, position.failing, position.saved));
}

/** A call that the saved progress does not hold is made again under its key by a retry, or is lost. */
function afterResult(handle: TaskHandle, position: FailingPosition, input: CallResultInput): FailingPosition {
  const { saved } = position;
  if (saved && saved.kind !== 'finished' && awaitsResult(saved, input.key))
    return { ...position, saved: withLateResult(handle, saved, input) };
  if (input.kind === 'call.completed' || !isUnknownOutcome(input.failure.error)) return position;
  const error = withLocation(handle, input.failure.error);
  if (position.call) rememberLost(handle, position.call);
  return { ...position, failing: { callFailed: false, error }, call: { key: input.key, args: null } };
}

/** A person is shown one call. What is remembered of the others keeps them from being made again without a question. */
function rememberLost({ draft, taskPath, node }: TaskHandle, { key }: ShownCall): void {
  const { perhapsMade } = draft.run.compensation;
  draft.setCompensation({ perhapsMade: [...perhapsMade, { key, taskPath, called: node.id }] });
}

/** Returns saved progress with a result. Without room for a reply, it stays as it is, and a retry asks the ledger. */
function withLateResult(handle: TaskHandle, saved: ResumablePosition, input: TaskInput): ResumablePosition {
  const { behavior } = handle.node;
  const next = withOwnAllowance(handle, () => behavior.updateSaved?.(new TaskServices(handle), saved, input)) ?? saved;
  const isKept = input.kind !== 'call.completed' || hasRoom(handle.draft, bytesOf(next) - bytesOf(saved));
  return isKept ? next : saved;
}
