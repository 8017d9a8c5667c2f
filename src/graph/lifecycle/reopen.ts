import type { PauseRequest } from '../run/phase.ts';
import type { Draft } from '../superstep/draft.ts';
import { openTasks } from '../superstep/frames.ts';
import { restartCountdown } from './deadlines.ts';
import { askAgain } from './retry-task.ts';

/**
 * Has a run that has ended go on. Its deadline and those of its nodes start anew, and what its open nodes asked of people
 * and clocks, which was canceled when it ended, is asked again.
 * @param pause it goes no further than its next superstep
 */
export function reopenRun(draft: Draft, pause: PauseRequest | null = null): void {
  draft.enter({ kind: 'running', pause });
  restartCountdown(draft);
  for (const handle of openTasks(draft)) askAgain(handle);
}
