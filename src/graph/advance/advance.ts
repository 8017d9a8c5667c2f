import { handleOccurrence } from './occurrences.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import { Draft } from '../draft/draft.ts';
import { rootFrame, cancelOpenRequests, emitOfRun, openFrames, frameOutput } from '../draft/frames.ts';
import { mustYield, unitsOfAdvance } from '../draft/load.ts';
import { setJoins } from '../draft/scope-draft.ts';
import type { RunEvent, RunEventBody } from '../journal/events.ts';
import type { Checkpoint } from '../journal/resume-point.ts';
import { runOnCancelNode, runOnFailNode } from '../lifecycle/last-node.ts';
import { compensateNext } from '../lifecycle/compensation.ts';
import { updateDeadlines, updateNodeDeadlines } from '../lifecycle/deadlines.ts';
import { leaveCallsUnanswered } from '../lifecycle/possibly-executed.ts';
import { uncompensatedCause } from '../lifecycle/uncompensated.ts';
import type { Approval } from '../run/approval.ts';
import type { Effect } from '../run/effect.ts';
import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Occurrence, RecordedOccurrence } from '../run/occurrence.ts';
import type { Cancellation, EndedPhase } from '../run/phase.ts';
import type { Run } from '../run/run.ts';
import { breakpointNodesAt } from '../run/scope-position.ts';
import { awaitedPerson, hasEnded, isBeingCanceled, pauseRequested, hasOpenCalls, isEnding } from '../run/status.ts';
import { receiveSignal } from '../signals/receive-signal.ts';
import type { StopReason } from '../superstep/open-superstep.ts';
import { restoreFailedPosition } from '../superstep/close-superstep.ts';
import { runSupersteps } from '../superstep/run-supersteps.ts';
import { toRunError, MAX_MESSAGE, otherCause } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { truncate } from '../values/text.ts';

/** The result of one `advance`: the new run, its effects, and its journal entries. */
export interface AdvanceResult {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** The new and changed approvals. */
  readonly approvals: readonly Approval[];
  /** The occurrence, if the run has processed it; otherwise empty. */
  readonly occurrences: readonly RecordedOccurrence[];
  /** True if the run has more to do: a `continue` occurrence resumes it after the journal is written. */
  readonly hasYielded: boolean;
  /** The cost in units of the meter. The same step of a run always costs the same, on every worker. */
  readonly work: number;
}

/** Applies an occurrence to a draft. @returns the error that fails the run, or nothing */
export type OccurrenceAction = (draft: Draft) => RunError | void;

/**
 * Takes one occurrence and runs until the run needs input from outside. Pure: the given run stays unchanged. An ended
 * run ignores occurrences.
 */
export function advance(graph: CompiledGraph, run: Run, occurrence: Occurrence): AdvanceResult {
  const draft = new Draft(graph, run, occurrence.at);
  return advanceDraft(draft, hasEnded(run) ? () => undefined : () => handleOccurrence(draft, occurrence));
}

/**
 * Applies a signal to an ended run, which `retry`, `skip`, `replan` and `edit` may reopen. The outcome is in the run's
 * signal results. Pure, like `advance`.
 */
export function signalEndedRun(graph: CompiledGraph, run: Run, { now, name, payload }: ReceivedSignal): AdvanceResult {
  return advanceDraft(new Draft(graph, run, now), (draft) => receiveSignal(draft, name, payload));
}

/** A signal, with the time in milliseconds at which a run receives it. */
interface ReceivedSignal {
  readonly name: string;
  readonly payload: JsonObject;
  readonly now: number;
}

/** Applies an action to a run and continues the run. A thrown error becomes the run's failure, so this never throws. */
export function advanceDraft(draft: Draft, action: OccurrenceAction): AdvanceResult {
  const hasYielded = applyAction(draft, action);
  draft.countWork();
  const { run, effects, events, checkpoints, approvals, occurrences } = draft;
  const work = unitsOfAdvance(draft, hasYielded);
  return { run, effects, events, checkpoints, approvals: [...approvals.values()], occurrences, hasYielded, work };
}

/** @returns true if the run has more to do at once */
function applyAction(draft: Draft, action: OccurrenceAction): boolean {
  try {
    const failure = action(draft);
    if (hasEnded(draft.run)) return false;
    return enterNextPhase(draft, failure ? { kind: 'failed', error: failure } : continueSupersteps(draft));
  } catch (error) {
    return failUnexpectedly(draft, toRunError(error));
  }
}

/** A paused run processes occurrences but opens no superstep. A run that is being canceled only waits for its calls. */
function continueSupersteps(draft: Draft): StopReason {
  const { phase } = draft.run;
  if (isBeingCanceled(draft.run)) return { kind: 'waiting' };
  if (phase.kind === 'failing' || phase.kind === 'closing-failed') return { kind: 'failed', error: phase.error };
  if (phase.kind === 'paused') return { kind: 'paused' };
  if (mustYield(draft)) return { kind: 'yielded' };
  const standing = runSupersteps(rootFrame(draft));
  return standing.kind === 'waiting' && pauseRequested(draft.run) ? { kind: 'paused' } : standing;
}

/**
 * Enters the phase that follows from the state of the run's own graph. A run that is being canceled always ends as
 * canceled.
 * @returns true if the run has more to do at once
 */
function enterNextPhase(draft: Draft, standing: StopReason): boolean {
  const { run } = draft;
  if (run.phase.kind === 'canceling' || run.phase.kind === 'closing') {
    const hasYielded = !hasOpenCalls(run) && continueCanceling(draft, run.phase);
    updateNodeDeadlines(draft);
    return hasYielded;
  }
  let hasYielded = standing.kind === 'yielded';
  if (standing.kind === 'finished') completeRun(draft);
  else if (standing.kind === 'failed') hasYielded = continueFailing(draft, standing.error);
  else waitOrPause(draft, standing.kind);
  updateDeadlines(draft);
  return hasYielded;
}

/**
 * Fails a run in any phase because the interpreter has thrown. If the failure handling throws too, or the last node of
 * a failed run, the run ends at once; otherwise it would be retried forever.
 * @returns true if the run has more to do at once
 */
function failUnexpectedly(draft: Draft, thrown: RunError): boolean {
  const cause = earlierCause(draft);
  const error = cause ? { ...thrown, cause } : thrown;
  if (restoreFailedPosition(rootFrame(draft))) return failAtOnce(draft, error);
  try {
    const hasYielded = continueFailing(draft, error);
    updateDeadlines(draft);
    return hasYielded;
  } catch (second) {
    const { code, message } = toRunError(second);
    return failAtOnce(draft, { cause: { code, message }, ...error });
  }
}

/** Returns the cause to keep: the error of an earlier failure of the run, or its missing compensations. */
function earlierCause(draft: Draft): RunError['cause'] {
  const { phase } = draft.run;
  if (phase.kind === 'failing' || phase.kind === 'closing-failed')
    return { code: phase.error.code, message: phase.error.message };
  return phase.kind === 'closing' ? uncompensatedCause(draft) : undefined;
}

function completeRun(draft: Draft): void {
  const output = frameOutput(rootFrame(draft));
  endRun(draft, { kind: 'completed', endedAt: draft.now, output });
}

/** A run with open calls counts as running, whatever else it waits for. */
function waitOrPause(draft: Draft, kind: 'waiting' | 'paused' | 'yielded'): void {
  const { run } = draft;
  if (kind === 'yielded' || hasOpenCalls(run)) return draft.enter({ kind: 'running', pause: pauseRequested(run) });
  if (kind === 'waiting') return draft.enter({ kind });
  if (run.phase.kind !== 'paused') pauseRun(draft);
}

function pauseRun(draft: Draft): void {
  const { by, reason } = pauseRequested(draft.run) ?? { by: 'breakpoint', reason: null };
  const nodes = openFrames(rootFrame(draft)).flatMap(({ scope: { at } }) => breakpointNodesAt(at));
  draft.enter({ kind: 'paused', since: draft.now });
  emitOfRun(draft, { type: 'run.paused', reason, nodes, by });
}

/**
 * Waits for the run's open calls, then compensates its work, then runs the `onFail` node, then ends the run.
 * @returns true if the run has more to do at once
 */
function continueFailing(draft: Draft, error: RunError): boolean {
  const { phase } = draft.run;
  if (phase.kind === 'closing-failed') return closeFailed(draft, phase.error);
  if (!isEnding(draft.run)) cancelOpenRequests(draft);
  draft.enter({ kind: 'failing', error, awaits: awaitedPerson(draft.run) });
  if (hasOpenCalls(draft.run) || compensateNext(draft)) return false;
  return closeFailed(draft, error);
}

/** Runs the `onFail` node of a failed run, then ends the run. @returns true if the run has more to do at once */
function closeFailed(draft: Draft, error: RunError): boolean {
  const state = runOnFailNode(draft, error);
  if (state === 'finished') endAsFailed(draft, addCause(error, uncompensatedCause(draft)));
  return state === 'yielded';
}

/** Adds a cause before the error's existing cause. An error of user code as the cause keeps the error's own message. */
function addCause(error: RunError, cause: RunError['cause']): RunError {
  if (!cause) return error;
  const other = otherCause(error);
  const earlier = other ? `. ${other.code}: ${other.message}` : '';
  return { ...error, cause: { ...cause, message: truncate(cause.message + earlier, MAX_MESSAGE) } };
}

/**
 * Ends a run without waiting for its open calls and without compensation. Its error names the calls.
 * @returns false: the run has nothing more to do
 */
function failAtOnce(draft: Draft, error: RunError): false {
  draft.cancelCalls();
  leaveCallsUnanswered(draft);
  endAsFailed(draft, addCause(error, uncompensatedCause(draft)));
  return false;
}

function endAsFailed(draft: Draft, error: RunError): void {
  endRun(draft, { kind: 'failed', endedAt: draft.now, error });
}

/**
 * Compensates the run's work after its open calls return, then runs the `onCancel` node, then ends the run.
 * @returns true if the run has more to do at once
 */
function continueCanceling(draft: Draft, { by, reason }: Cancellation): boolean {
  const closing = compensateNext(draft) ? 'waiting' : runOnCancelNode(draft);
  if (closing !== 'finished') return closing === 'yielded';
  const cause = uncompensatedCause(draft);
  const error: RunError | null = cause ? { code: 'CANCELED', message: `Canceled by ${by}`, cause } : null;
  endRun(draft, { kind: 'canceled', by, reason, endedAt: draft.now, error });
  return false;
}

type EndingPhase<Kind extends EndedPhase['kind']> = EndedPhase & { readonly kind: Kind };

/** The event of each end of a run. */
const END_EVENTS: { readonly [K in EndedPhase['kind']]: (ending: EndingPhase<K>) => RunEventBody } = {
  completed: ({ output }) => ({ type: 'run.completed', output }),
  failed: ({ error }) => ({ type: 'run.failed', error }),
  canceled: ({ by, reason }) => ({ type: 'run.canceled', by, reason }),
};

function endRun<K extends EndedPhase['kind']>(draft: Draft, ending: EndingPhase<K>): void {
  const toEvent: (ending: EndingPhase<K>) => RunEventBody = END_EVENTS[ending.kind];
  cancelOpenRequests(draft);
  draft.cancelTimer(DEADLINE_TIMER);
  if (ending.kind !== 'failed') forgetArrivals(draft);
  draft.enter(ending);
  emitOfRun(draft, toEvent(ending));
}

/**
 * Discards the arrivals at joins that have not fired. A failed run keeps them, because a retry continues from there.
 */
function forgetArrivals(draft: Draft): void {
  const root = rootFrame(draft);
  if (Object.keys(root.scope.joins).length > 0) setJoins(root, {});
}

/**
 * Advances a run by one occurrence after another. Pure if `next` is pure.
 * @param first the current step; it is not yielded
 * @param next returns the occurrence after a step; `null` ends the drive
 */
export function* driveRun(
  graph: CompiledGraph,
  first: AdvanceResult,
  next: (last: AdvanceResult) => Occurrence | null,
): Generator<AdvanceResult, void> {
  let step = first;
  for (let occurrence = next(step); occurrence; occurrence = next(step)) {
    step = advance(graph, step.run, occurrence);
    yield step;
  }
}
