import type { CompiledGraph } from '../compile/compile.ts';
import type { Checkpoint } from '../journal/checkpoint.ts';
import type { RunEvent, RunEventBody } from '../journal/events.ts';
import { runLastNode } from '../lifecycle/cancel.ts';
import { uncompensated, statusWhileCompensating, compensateNext } from '../lifecycle/compensation.ts';
import { updateDeadlines, updateNodeDeadlines } from '../lifecycle/deadlines.ts';
import type { Approval } from '../run/approval.ts';
import type { Effect } from '../run/effect.ts';
import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Occurrence, RecordedOccurrence } from '../run/occurrence.ts';
import { stopsAt } from '../run/position.ts';
import { isEnded } from '../run/run.ts';
import type { Run, Cancellation, EndedStatus } from '../run/run.ts';
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
  return step(graph, run, { now: occurrence.at, act: isEnded(run.status) ? () => undefined : act });
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
    if (isEnded(draft.run.status)) return false;
    return settle(draft, failure ? { kind: 'failed', error: failure } : standingOf(draft));
  } catch (error) {
    return settle(draft, { kind: 'failed', error: toRunError(error) });
  }
}

/** A paused run takes what comes and goes no further; one that is being canceled only waits for its calls. */
function standingOf(draft: Draft): Standing {
  const { run } = draft;
  if (run.cancellation) return { kind: 'waiting' };
  if (run.failing) return { kind: 'failed', error: run.failing };
  if (run.status === 'paused') return { kind: 'paused' };
  const standing = runSupersteps(rootFrame(draft));
  return standing.kind === 'waiting' && run.pause ? { kind: 'paused' } : standing;
}

/** Gives the run its status. @returns whether it has more to do at once */
function settle(draft: Draft, standing: Standing): boolean {
  const { run } = draft;
  const isBusy = Object.keys(run.calls).length > 0;
  if (run.cancellation) {
    const hasYielded = !isBusy && cancel(draft, run.cancellation);
    updateNodeDeadlines(draft);
    return hasYielded;
  }
  switch (standing.kind) {
    case 'finished': {
      const output = outputOf(rootFrame(draft));
      draft.set({ output });
      end(draft, 'completed', { type: 'run.completed', output });
      break;
    }
    case 'failed':
      fail(draft, standing.error, isBusy);
      break;
    case 'paused':
      if (isBusy) draft.set({ status: 'running' });
      else pauseRun(draft);
      break;
    case 'waiting':
      draft.set({ status: isBusy ? 'running' : 'waiting' });
      break;
    case 'full':
      draft.set({ status: 'running' });
  }
  updateDeadlines(draft);
  return standing.kind === 'full';
}

/** What the calls that are out have done has to be known before the run is over. */
function fail(draft: Draft, error: RunError, isBusy: boolean): void {
  const { run } = draft;
  if (!run.failing) cancelOpenQuestions(draft);
  if (isBusy || compensateNext(draft)) {
    draft.set({ failing: error, status: statusWhileCompensating(run) });
    return;
  }
  const cause = uncompensated(draft);
  const whole = cause ? { ...error, cause } : error;
  draft.set({ error: whole });
  end(draft, 'failed', { type: 'run.failed', error: whole });
}

/**
 * Once the calls that were out have come back, what was done is undone, and the graph may have the last word.
 * @returns whether the run has more to do at once
 */
function cancel(draft: Draft, { by, reason }: Cancellation): boolean {
  const closing = compensateNext(draft) ? 'waiting' : runLastNode(draft);
  draft.set({ status: statusWhileCompensating(draft.run) });
  if (closing === 'over') {
    const cause = uncompensated(draft);
    draft.set({ error: cause ? { code: 'CANCELED', message: `Canceled by ${by}`, cause } : null });
    end(draft, 'canceled', { type: 'run.canceled', by, reason });
  }
  return closing === 'full';
}

function pauseRun(draft: Draft): void {
  const { run } = draft;
  if (run.status === 'paused') return;
  draft.set({ status: 'paused' });
  const nodes = openFrames(rootFrame(draft)).flatMap(({ scope: { at } }) => stopsAt(at));
  const { by, reason } = run.pause ?? { by: 'breakpoint', reason: null };
  emitOfRun(draft, { type: 'run.paused', reason, nodes, by });
}

function end(draft: Draft, status: EndedStatus, event: RunEventBody): void {
  cancelOpenQuestions(draft);
  cancelTimer(draft, DEADLINE_TIMER);
  draft.set({ status, endedAt: draft.now });
  emitOfRun(draft, event);
}
