import type { Draft } from './draft.ts';
import { openTasks } from './frames.ts';
import { isEnded } from './run.ts';
import type { Clock, RunLimits } from './run.ts';
import { keepTimeOfNodes } from './node-clocks.ts';
import { cancelTimer } from './tasks.ts';
import { toggledClock } from './toggled-clock.ts';
import type { TaskFrame } from './tasks.ts';

/** The timer of the run's deadline. */
export const DEADLINE_TIMER = 'deadline';

export function openClock({ deadlineMs }: RunLimits): Clock | null {
  return deadlineMs === undefined ? null : { leftMs: deadlineMs, runsSince: null };
}

/** Has the deadline start anew, by the limits that are in force now. */
export function restartClock(draft: Draft): void {
  cancelTimer(draft, DEADLINE_TIMER);
  draft.run.clock = openClock(draft.run.limits);
}

/** Lets the clocks of deadlines run or stand still, as the run's status has it. */
export function keepTime(draft: Draft): void {
  keepTimeOfRun(draft);
  keepTimeOfNodes(draft);
}

function keepTimeOfRun(draft: Draft): void {
  const { run } = draft;
  if (!run.clock) return;
  const clock = toggledClock(run.clock, isTicking(draft), draft.now);
  if (!clock) return;
  run.clock = clock;
  if (clock.runsSince === null) return cancelTimer(draft, DEADLINE_TIMER);
  const timer = { fireAt: clock.runsSince + clock.leftMs, summary: 'deadline of the run' };
  run.timers[DEADLINE_TIMER] = { task: [], ...timer };
  draft.effects.push({ kind: 'timer', id: DEADLINE_TIMER, ...timer });
}

/** It stands still while the run only waits for people. */
function isTicking(draft: Draft): boolean {
  const { status, failing } = draft.run;
  if (isEnded(status) || failing || status === 'paused') return false;
  return status !== 'waiting' || openTasks(draft).some(waitsForWorld);
}

function waitsForWorld({ task: { state } }: TaskFrame): boolean {
  return state.phase === 'open' && state.position.kind === 'wait';
}
