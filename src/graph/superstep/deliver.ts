import { childFrame, withOwnAllowance } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput, CallResultInput } from '../nodes/behavior.ts';
import type {
  NodePosition,
  TaskState,
  TaskStateIn,
  FailingPosition,
  ResumablePosition,
  VisibleCall,
} from '../run/scope.ts';
import { isEnding } from '../run/status.ts';
import { awaitsResult, batchAtPosition, hasResumableProgress, isResumable } from '../run/task-position.ts';
import { isUnknownOutcome } from '../values/errors.ts';
import { resumeTask } from './run-task.ts';
import { hasRoomFor } from '../draft/draft.ts';
import { setState } from '../draft/scope-draft.ts';
import { approximateBytes } from '../run/held-bytes.ts';
import { countUnknownOutcomes } from '../run/unknown-outcomes.ts';
import { openCallKeys, stateAfterFailure, stateAfterLateResults, addErrorLocation } from './fail-task.ts';
import { TaskServices } from './task-services.ts';

/** The use of an input by a task: it resumes with it, only saves it for a retry, ends after the last one, or ignores it. */
type InputUse = keyof typeof USES;

const USES = { resume: resumeTask, save: saveLateResult, end: takeLastResult, ignore: () => undefined };

/** Delivers an input to a task; a missing task ignores it. @returns how the task has used it */
export function deliverInput(handle: TaskHandle | null, input: TaskInput): InputUse {
  if (!handle) return 'ignore';
  const { state } = handle.task;
  const isFailing = state.phase === 'open' && state.position.kind === 'failing';
  const when = isFailing || isAboutToEnd(handle) ? 'ending' : 'working';
  const use = isStaleInput(state, input) ? 'ignore' : deliveryRuleFor(state, when)(input);
  USES[use](handle, input);
  return use;
}

/** True for the result of a call that an open task does not wait for, such as a call of an earlier visit. */
function isStaleInput(state: TaskState, input: TaskInput): boolean {
  if (state.phase !== 'open' || state.position.kind === 'failing' || !isCallResult(input)) return false;
  return !awaitsResult(state.position, input.key);
}

type DeliveryRule<P extends TaskState['phase']> = (state: TaskStateIn<P>, input: TaskInput) => InputUse;

/** The rules by the task's phase. `ending` applies while the run, or an enclosing node, waits for its last calls. */
const DELIVERY_RULES: {
  readonly [P in TaskState['phase']]: { readonly working: DeliveryRule<P>; readonly ending: DeliveryRule<P> };
} = {
  ready: { working: () => 'ignore', ending: () => 'ignore' },
  open: {
    working: () => 'resume',
    ending: ({ position }, input) => acceptWhileEnding(position, input),
  },
  intervention: { working: acceptAfterFailure, ending: acceptAfterFailure },
  failed: { working: acceptAfterFailure, ending: acceptAfterFailure },
  completed: { working: () => 'ignore', ending: () => 'ignore' },
  diverted: { working: () => 'ignore', ending: () => 'ignore' },
};

function deliveryRuleFor<P extends TaskState['phase']>(
  state: TaskStateIn<P>,
  when: 'working' | 'ending',
): (input: TaskInput) => InputUse {
  const rule: DeliveryRule<P> = DELIVERY_RULES[state.phase][when];
  return (input) => rule(state, input);
}

/** True if the run, or an enclosing node, has failed or is canceled, and waits for its open calls. */
export function isAboutToEnd({ draft, frame }: TaskHandle): boolean {
  return isEnding(draft.run) || frame.isFailing;
}

/**
 * In an ending run or node, a task still accepts results of a tool batch. Of a single call it accepts only an unknown
 * outcome, because a person must settle it. A task that has failed itself ends after its last result.
 */
function acceptWhileEnding(position: NodePosition, input: TaskInput): InputUse {
  if (position.kind === 'failing') return 'end';
  return countsWhileEnding(input) && (input.kind === 'call.failed' || batchAtPosition(position).length > 0)
    ? 'resume'
    : 'ignore';
}

function acceptAfterFailure(state: TaskState, input: TaskInput): InputUse {
  return countsWhileEnding(input) && hasResumableProgress(state) ? 'save' : 'ignore';
}

/** True for a reply and for an unknown outcome of a call. These count even where nothing new may begin. */
function countsWhileEnding(input: TaskInput): boolean {
  return input.kind === 'call.failed' ? isUnknownOutcome(input.failure.error) : input.kind === 'call.completed';
}

/*
 * Results of calls that arrive after their task has failed. They are saved for a retry, and a lost call makes its task
 * wait for a person.
 */

/** Saves a call's result for the retry of a task that has failed for good, or that waits for a person. */
function saveLateResult(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  if (!hasResumableProgress(state)) return;
  const saved = withLateResult(handle, state.saved, input);
  if (state.phase === 'intervention') return setState(handle, { ...state, saved });
  const unknownCount = countUnknownOutcomes(state.saved);
  setState(handle, stateAfterLateResults(handle, state.failure, saved, unknownCount));
}

/**
 * Processes the result of an open call of a failed task. The task ends after the last result, or with the graphs inside
 * it (`endFailingTask`).
 */
function takeLastResult(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  if (state.phase !== 'open' || state.position.kind !== 'failing' || !isCallResult(input)) return;
  const position = afterResult(handle, state.position, input);
  setState(handle, { phase: 'open', position });
  if (!childFrame(handle) && openCallKeys(handle).length === 0)
    setState(handle, stateAfterFailure(handle, position.failing, position.saved));
}

/** A call that is not in the saved progress is repeated under its key by a retry, or is lost. */
function afterResult(handle: TaskHandle, position: FailingPosition, input: CallResultInput): FailingPosition {
  const { saved } = position;
  if (isResumable(saved) && awaitsResult(saved, input.key))
    return { ...position, saved: withLateResult(handle, saved, input) };
  if (input.kind === 'call.completed' || !isUnknownOutcome(input.failure.error)) return position;
  const error = addErrorLocation(handle, input.failure.error);
  if (position.call) rememberLost(handle, position.call);
  return { ...position, failing: { callFailed: false, error }, call: { key: input.key, args: null } };
}

/**
 * A person sees only one of the lost calls. The others are remembered, so that none of them is repeated without a
 * decision.
 */
function rememberLost({ draft, taskPath, node }: TaskHandle, { key }: VisibleCall): void {
  draft.rememberPossiblyExecuted([{ key, taskPath, called: node.id }]);
}

/**
 * Returns saved progress with a result. If there is no room for a reply, it stays unchanged, and a retry reads the
 * reply from the ledger.
 */
function withLateResult(handle: TaskHandle, saved: ResumablePosition, input: TaskInput): ResumablePosition {
  const { behavior } = handle.node;
  const next = withOwnAllowance(handle, () => behavior.updateSaved?.(new TaskServices(handle), saved, input)) ?? saved;
  const isKept =
    input.kind !== 'call.completed' || hasRoomFor(handle.draft, approximateBytes(next) - approximateBytes(saved));
  return isKept ? next : saved;
}
