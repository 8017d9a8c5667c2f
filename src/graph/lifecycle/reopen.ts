import type { Draft } from '../superstep/draft.ts';
import { openFrames, openTasks } from '../superstep/frames.ts';
import { restartCountdown } from './deadlines.ts';
import { askAgain } from './retry-task.ts';

/**
 * Has a run that has ended go on. What ended it is forgotten, its deadline and those of its nodes start anew, and what its open nodes asked
 * of people and clocks, which was withdrawn when it ended, is asked again.
 */
export function reopenRun(draft: Draft): void {
  const { run } = draft;
  run.status = 'running';
  run.endedAt = null;
  run.error = null;
  run.output = null;
  run.failing = null;
  run.cancellation = null;
  run.pause = null;
  restartCountdown(draft);
  for (const of of openTasks(draft)) askAgain(of);
  for (const frame of openFrames(draft)) frame.isFailing = false;
}
