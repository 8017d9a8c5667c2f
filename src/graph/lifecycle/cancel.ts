import { cancelOpenRequests, rootFrame, tasksOfFrame } from '../draft/frames.ts';
import type { Draft } from '../draft/draft.ts';
import { moveToPosition, advanceStep } from '../draft/scope-draft.ts';
import type { VisitedNodes } from '../journal/resume-point.ts';
import { awaitedPerson, isBeingCanceled, isEnding } from '../run/status.ts';
import { restoreFailedPosition } from '../superstep/close-superstep.ts';

/** Begins to cancel a run: its approvals are canceled, and no new work begins. */
export function cancelRun(draft: Draft, by: string, reason: string | null): void {
  if (isBeingCanceled(draft.run)) return;
  if (!isEnding(draft.run)) cancelOpenRequests(draft);
  restoreFailedPosition(rootFrame(draft));
  draft.enter({ kind: 'canceling', by, reason, awaits: awaitedPerson(draft.run) });
}

/** Discards the open superstep and all triggers. @returns the nodes of that superstep */
export function discardSuperstep(draft: Draft): VisitedNodes {
  const frame = rootFrame(draft);
  const visited = tasksOfFrame(frame).map(({ node }) => node.id);
  cancelOpenRequests(draft);
  draft.setCounted([]);
  if (visited.length > 0) advanceStep(frame);
  moveToPosition(frame, { kind: 'ready', triggers: [], hasPassedBreakpoint: false }, []);
  return visited;
}
