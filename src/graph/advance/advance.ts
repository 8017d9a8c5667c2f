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

/** What one step of the interpreter gives: the run as it is then, what is to be done, and what the journal will say. */
export interface Advance {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** Approvals that are new or have changed. */
  readonly approvals: readonly Approval[];
  /** The occurrence, if the run has taken it in. */
  readonly occurrences: readonly RecordedOccurrence[];
  /** There is more to do at once; a `continue` goes on when the journal is written. */
  readonly hasYielded: boolean;
}

/**
 * Takes one occurrence and runs as far as the run gets without the outside. Pure: the given run stays as it was.
 * A run that has ended changes no more.
 */
export function advance(graph: CompiledGraph, run: Run, occurrence: Occurrence): Advance {
  const act = (draft: Draft): RunError | void => handleOccurrence(draft, occurrence);
  return step(graph, run, { now: occurrence.at, act: hasEnded(run) ? () => undefined : act });
}

/**
 * Takes a signal for a run that has ended, and has it go on if that is what the signal is for: `retry`, `skip`,
 * `replan`, `edit`. What became of it is in the run's outcomes. Pure, as `advance`.
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

/** A paused run takes what comes and goes no further; one that is being canceled only waits for its calls. */
function standingOf(draft: Draft): Standing {
  const { phase } = draft.run;
  if (isBeingCanceled(draft.run)) return { kind: 'waiting' };
  if (phase.kind === 'failing') return { kind: 'failed', error: phase.error };
  if (phase.kind === 'paused') return { kind: 'paused' };
  const standing = runSupersteps(rootFrame(draft));
  return standing.kind === 'waiting' && pauseRequested(draft.run) ? { kind: 'paused' } : standing;
}

/** Has the run enter its next phase. @returns whether it has more to do at once */
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

/** A run whose calls are out is running, whatever else it waits for. */
function rest(draft: Draft, kind: 'waiting' | 'paused' | 'full'): void {
  const { run } = draft;
  if (kind === 'full' || Object.keys(run.calls).length > 0)
    return draft.enter({ kind: 'running', pause: pauseRequested(run) });
  if (kind === 'waiting') return draft.enter({ kind });
  if (run.phase.kind !== 'paused') pauseRun(draft);
}

/** What the calls that are out have done has to be known before the run is over. */
function fail(draft: Draft, error: RunError): void {
  const { run } = draft;
  if (run.phase.kind !== 'failing') cancelOpenQuestions(draft);
  if (Object.keys(run.calls).length > 0 || compensateNext(draft)) return draft.enter({ kind: 'failing', error });
  const cause = uncompensated(draft);
  const whole = cause ? { ...error, cause } : error;
  end(draft, { kind: 'failed', endedAt: draft.now, error: whole }, { type: 'run.failed', error: whole });
}

/**
 * Once the calls that were out have come back, what was done is compensated, and the graph may have the last word.
 * @returns whether the run has more to do at once
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
