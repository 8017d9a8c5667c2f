import type { Limits } from '../definition/limits.ts';
import type { Draft } from '../draft/draft.ts';
import { emitOfRun, openFrames, rootFrame, tasksOfRun } from '../draft/frames.ts';
import { effectiveLimits, limitsOfRun } from '../run/limits.ts';
import type { Refusal } from '../run/occurrence.ts';
import type { PauseRequest } from '../run/phase.ts';
import { passBreakpoint } from '../superstep/open-superstep.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { restartCountdown } from './deadlines.ts';
import { repeatRequests } from './retry-task.ts';

/** Changes a run's limits, up to those of its graph. @returns the reason for a refusal */
export function raiseLimits(draft: Draft, given: Json | undefined): Refusal | null {
  if (!isLimits(given)) return null;
  const asked: Limits = given;
  const { refusal } = limitsOfRun(draft.graph, asked);
  if (refusal) return refusal;
  const { limits, raisedLimits } = draft.run;
  draft.setLimits({ ...limits, ...effectiveLimits(asked) }, { ...raisedLimits, ...asked });
  if (asked.deadline !== undefined) restartCountdown(draft);
  return null;
}

/** This only narrows the type, because the schema of the payload has validated the value. */
function isLimits(value: Json | undefined): value is Limits & Json {
  return isJsonObject(value);
}

/**
 * Reopens an ended run: its deadlines restart, and its open nodes repeat the canceled requests for approvals and
 * timers.
 * @param pause if given, stops the run after its next superstep
 */
export function reopenRun(draft: Draft, pause: PauseRequest | null = null): void {
  draft.enter({ kind: 'running', pause });
  draft.work.beginSuperstep();
  restartCountdown(draft);
  for (const handle of tasksOfRun(draft)) repeatRequests(handle);
}

/** Lets a run continue past its breakpoints, and ends its pause. */
export function resumeRun(draft: Draft, by: string): void {
  for (const frame of openFrames(rootFrame(draft))) passBreakpoint(frame);
  if (draft.run.phase.kind === 'paused') emitOfRun(draft, { type: 'run.resumed', by });
  draft.enter({ kind: 'running', pause: null });
}
