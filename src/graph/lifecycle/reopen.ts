import type { Draft } from '../draft/draft.ts';
import { tasksOfRun } from '../draft/frames.ts';
import type { PauseRequest } from '../run/phase.ts';
import { restartCountdown } from './deadlines.ts';
import { repeatRequests } from './retry-task.ts';

/**
 * Reopens an ended run: its deadlines restart, and its open nodes repeat the canceled requests for approvals and
 * timers.
 * @param pause stops the run after its next superstep
 */
export function reopenRun(draft: Draft, pause: PauseRequest | null = null): void {
  draft.enter({ kind: 'running', pause });
  draft.work.beginSuperstep();
  restartCountdown(draft);
  for (const handle of tasksOfRun(draft)) repeatRequests(handle);
}
