import type { CompiledGraph } from '../compile/compile.ts';
import type { Checkpoint } from '../journal/checkpoint.ts';
import type { RunEvent, RunEventBody } from '../journal/events.ts';
import { runLastNode } from '../lifecycle/cancel.ts';
import { uncompensated, compensateNext } from '../lifecycle/compensation.ts';
import { updateDeadlines, updateNodeDeadlines } from '../lifecycle/deadlines.ts';
import type { Approval } from '../run/approval.ts';
import type { Effect } from '../run/effect.ts';
import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Occurrence, RecordedOccurrence } from '../run/occurrence.ts';
import { stopsAt } from '../run/position.ts';
import type { Cancellation, EndedPhase } from '../run/phase.ts';
import type { Run } from '../run/run.ts';
import { hasEnded, isBeingCanceled, pauseRequested } from '../run/status.ts';
import { receiveSignal } from '../signals/receive-signal.ts';
import { cancelOpenQuestions } from '../superstep/approvals.ts';
import { Draft, emitOfRun } from '../superstep/draft.ts';
import { rootFrame, openFrames } from '../superstep/frames.ts';
import { runSupersteps, outputOf } from '../superstep/superstep.ts';
import type { Standing } from '../superstep/superstep.ts';
import { cancelTimer } from '../superstep/timers.ts';
import { toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { handleOccurrence } from './occurrences.ts';

/** The result of one step: the new run, its effects, and its journal entries. */
export interface Advance {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** New and changed approvals. */
  readonly approvals: readonly Approval[];
  /** The occurrence, if the run has processed it. */
  readonly occurrences: readonly RecordedOccurrence[];
  /** The step stopped early; a `continue` resumes it after the journal is written. */
  readonly hasYielded: boolean;
}

/**
 * Takes one occurrence and runs until the run needs input from outside. Pure: the given run stays unchanged. An ended
 * run ignores occurrences.
 */
export function advance(graph: CompiledGraph, run: Run, occurrence: Occurrence): Advance {
  const act = (draft: Draft): RunError | void => handleOccurrence(draft, occurrence);
  return step(graph, run, { now: occurrence.at, act: hasEnded(run) ? () => undefined : act });
}

/**
 * Takes a signal for an ended run, which `retry`, `skip`, `replan` and `edit` may reopen. The result is in the run's
 * outcomes. Pure, like `advance`.
 */
export function reopenRun(
  graph: CompiledGraph,
  run: Run,
  { at, name, payload }: { at: number; name: string; payload: JsonObject },
): Advance {
  return step(graph, run, { now: at, act: (draft) => receiveSignal(draft, name, payload) });
}

export function step(
  graph: CompiledGraph,
  run: Run,
  { now, act }: { now: number; act: (draft: Draft) => RunError | void },
): Advance {
  const draft = new Draft(graph, run, now);
  return finish(draft, () => act(draft));
}

export function finish(draft: Draft, act: () => RunError | void): Advance {
  const hasYielded = proceed(draft, act);
  const { run, effects, events, checkpoints, approvals, occurrences } = draft;
  return { run, effects, events, checkpoints, approvals: [...approvals.values()], occurrences, hasYielded };
}

function proceed(draft: Draft, act: () => RunError | void): boolean {
  try {
    const failure = act();
    if (hasEnded(draft.run)) return false;
    return settle(draft, failure ? { kind: 'failed', error: failure } : standingOf(draft));
  } catch (error) {
    return settle(draft, { kind: 'failed', error: toRunError(error) });
  }
}

/** A paused run takes occurrences but opens no superstep; a run that is being canceled only waits for its calls. */
function standingOf(draft: Draft): Standing {
  const { phase } = draft.run;
  if (isBeingCanceled(draft.run)) return { kind: 'waiting' };
  if (phase.kind === 'failing') return { kind: 'failed', error: phase.error };
  if (phase.kind === 'paused') return { kind: 'paused' };
  const standing = runSupersteps(rootFrame(draft));
  return standing.kind === 'waiting' && pauseRequested(draft.run) ? { kind: 'paused' } : standing;
}

/** Enters the run's next phase. @returns true if the run has more to do at once */
function settle(draft: Draft, standing: Standing): boolean {
  const { run } = draft;
  if (run.phase.kind === 'canceling' || run.phase.kind === 'closing') {
    const hasYielded = Object.keys(run.calls).length === 0 && cancel(draft, run.phase);
    updateNodeDeadlines(draft);
    return hasYielded;
  }
  if (standing.kind === 'finished') complete(draft);
  else if (standing.kind === 'failed') fail(draft, standing.error);
  else rest(draft, standing.kind);
  updateDeadlines(draft);
  return standing.kind === 'full';
}

function complete(draft: Draft): void {
  const output = outputOf(rootFrame(draft));
  end(draft, { kind: 'completed', endedAt: draft.now, output }, { type: 'run.completed', output });
}

/** A run with open calls counts as running, whatever else it waits for. */
function rest(draft: Draft, kind: 'waiting' | 'paused' | 'full'): void {
  const { run } = draft;
  if (kind === 'full' || Object.keys(run.calls).length > 0)
    return draft.enter({ kind: 'running', pause: pauseRequested(run) });
  if (kind === 'waiting') return draft.enter({ kind });
  if (run.phase.kind !== 'paused') pauseRun(draft);
}

/** A run fails only after the results of its open calls are known. */
function fail(draft: Draft, error: RunError): void {
  const { run } = draft;
  if (run.phase.kind !== 'failing') cancelOpenQuestions(draft);
  if (Object.keys(run.calls).length > 0 || compensateNext(draft)) return draft.enter({ kind: 'failing', error });
  const cause = uncompensated(draft);
  const whole = cause ? { ...error, cause } : error;
  end(draft, { kind: 'failed', endedAt: draft.now, error: whole }, { type: 'run.failed', error: whole });
}

/**
 * Compensates the run's work after its open calls return, then runs the `onCancel` node.
 * @returns true if the run has more to do at once
 */
function cancel(draft: Draft, { by, reason }: Cancellation): boolean {
  const closing = compensateNext(draft) ? 'waiting' : runLastNode(draft);
  if (closing !== 'over') return closing === 'full';
  const cause = uncompensated(draft);
  const error: RunError | null = cause ? { code: 'CANCELED', message: `Canceled by ${by}`, cause } : null;
  end(draft, { kind: 'canceled', by, reason, endedAt: draft.now, error }, { type: 'run.canceled', by, reason });
  return false;
}

function pauseRun(draft: Draft): void {
  const { by, reason } = pauseRequested(draft.run) ?? { by: 'breakpoint', reason: null };
  const nodes = openFrames(rootFrame(draft)).flatMap(({ scope: { at } }) => stopsAt(at));
  draft.enter({ kind: 'paused' });
  emitOfRun(draft, { type: 'run.paused', reason, nodes, by });
}

function end(draft: Draft, phase: EndedPhase, event: RunEventBody): void {
  cancelOpenQuestions(draft);
  cancelTimer(draft, DEADLINE_TIMER);
  draft.enter(phase);
  emitOfRun(draft, event);
}
