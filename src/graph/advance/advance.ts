import type { CompiledGraph } from '../compile/compile.ts';
import { Draft } from '../draft/draft.ts';
import { rootFrame } from '../draft/frames.ts';
import { mustYield, workOf } from '../draft/load.ts';
import type { Checkpoint } from '../journal/checkpoint.ts';
import type { RunEvent } from '../journal/events.ts';
import type { Approval } from '../run/approvals/approval.ts';
import type { Effect } from '../run/effect.ts';
import type { Occurrence, RecordedOccurrence } from '../run/occurrence.ts';
import type { Run } from '../run/run.ts';
import { hasEnded, isBeingCanceled, pauseRequested } from '../run/status.ts';
import { receiveSignal } from '../signals/receive-signal.ts';
import { runSupersteps } from '../superstep/run-supersteps.ts';
import type { Standing } from '../superstep/standing.ts';
import { toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { enterNextPhase, failUnforeseen } from './next-phase.ts';
import { handleOccurrence } from './occurrences.ts';

/** The result of one `advance`: the new run, its effects, and its journal entries. */
export interface Advance {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** New and changed approvals. */
  readonly approvals: readonly Approval[];
  /** The occurrence, if the run has processed it. */
  readonly occurrences: readonly RecordedOccurrence[];
  /** The run has more to do; a `continue` resumes it after the journal is written. */
  readonly hasYielded: boolean;
  /** What it has cost, in units of the meter. The same steps of a run have the same, wherever they are made. */
  readonly work: number;
}

/** Changes a draft by what has happened. @returns the error that fails the run, if there is one */
export type Action = (draft: Draft) => RunError | void;

/**
 * Takes one occurrence and runs until the run needs input from outside. Pure: the given run stays unchanged. An ended
 * run ignores occurrences.
 */
export function advance(graph: CompiledGraph, run: Run, occurrence: Occurrence): Advance {
  const draft = new Draft(graph, run, occurrence.at);
  return advanceDraft(draft, hasEnded(run) ? () => undefined : () => handleOccurrence(draft, occurrence));
}

/**
 * Takes a signal for an ended run, which `retry`, `skip`, `replan` and `edit` may reopen. The result is in the run's
 * signal results. Pure, like `advance`.
 */
export function signalEndedRun(
  graph: CompiledGraph,
  run: Run,
  { now, name, payload }: { now: number; name: string; payload: JsonObject },
): Advance {
  return advanceDraft(new Draft(graph, run, now), (draft) => receiveSignal(draft, name, payload));
}

/** Applies an action to a run and continues the run. A thrown error becomes the run's failure, so this never throws. */
export function advanceDraft(draft: Draft, action: Action): Advance {
  const hasYielded = applyAction(draft, action);
  draft.countWork();
  const { run, effects, events, checkpoints, approvals, occurrences } = draft;
  const work = workOf(draft, hasYielded);
  return { run, effects, events, checkpoints, approvals: [...approvals.values()], occurrences, hasYielded, work };
}

/** @returns true if the run has more to do at once */
function applyAction(draft: Draft, action: Action): boolean {
  try {
    const failure = action(draft);
    if (hasEnded(draft.run)) return false;
    return enterNextPhase(draft, failure ? { kind: 'failed', error: failure } : continueSupersteps(draft));
  } catch (error) {
    failUnforeseen(draft, toRunError(error));
    return false;
  }
}

/** A paused run takes occurrences but opens no superstep; a run that is being canceled only waits for its calls. */
function continueSupersteps(draft: Draft): Standing {
  const { phase } = draft.run;
  if (isBeingCanceled(draft.run)) return { kind: 'waiting' };
  if (phase.kind === 'failing') return { kind: 'failed', error: phase.error };
  if (phase.kind === 'paused') return { kind: 'paused' };
  if (mustYield(draft)) return { kind: 'yielded' };
  const standing = runSupersteps(rootFrame(draft));
  return standing.kind === 'waiting' && pauseRequested(draft.run) ? { kind: 'paused' } : standing;
}
