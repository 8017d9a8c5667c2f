import type { Draft } from '../superstep/draft.ts';
import { openTasks } from '../superstep/frames.ts';
import { restartCountdown } from './deadlines.ts';
import { askAgain } from './retry-task.ts';

/**
 * Has a run that has ended go on. What ended it is forgotten, its deadline and those of its nodes start anew, and what its open nodes asked
 * of people and clocks, which was withdrawn when it ended, is asked again.
 */
export function reopenRun(draft: Draft): void {
  draft.set({ status: 'running', endedAt: null, error: null, output: null });
  draft.set({ failing: null, cancellation: null, pause: null });
  restartCountdown(draft);
  for (const handle of openTasks(draft)) askAgain(handle);
}
