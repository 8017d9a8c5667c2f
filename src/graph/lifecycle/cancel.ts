import { cancelOpenRequests, rootFrame, tasksOfFrame } from '../draft/frames.ts';
import type { Draft } from '../draft/draft.ts';
import { moveToPosition, advanceStep } from '../draft/scope-draft.ts';
import type { VisitedNodes } from '../journal/resume-point.ts';
import { awaitedPerson, isBeingCanceled, isEnding } from '../run/status.ts';
import { nodesWithUnknownOutcome } from '../run/unknown-outcomes.ts';
import { openSuperstep } from '../superstep/open-superstep.ts';
import { runSupersteps } from '../superstep/run-supersteps.ts';

/** Begins to cancel a run: its approvals are canceled, and no new work begins. */
export function cancelRun(draft: Draft, by: string, reason: string | null): void {
  if (isBeingCanceled(draft.run)) return;
  if (!isEnding(draft.run)) cancelOpenRequests(draft);
  draft.enter({ kind: 'canceling', by, reason, awaits: awaitedPerson(draft.run) });
}

/**
 * Runs the `onCancel` node of a canceled run as its last superstep. Each later occurrence calls this again.
 * @returns `finished` if the node has completed or failed, or if there is none
 */
export function runOnCancelNode(draft: Draft): 'waiting' | 'yielded' | 'finished' {
  const { run, graph } = draft;
  const { phase } = run;
  if (graph.onCancel === null) return 'finished';
  const frame = rootFrame(draft);
  if (phase.kind === 'canceling') {
    const { by, reason } = phase;
    draft.enter({ kind: 'closing', by, reason, unknown: nodesWithUnknownOutcome(run.root) });
    discardSuperstep(draft);
    openSuperstep(frame, [{ node: graph.onCancel }]);
  }
  const { kind } = runSupersteps(frame);
  return kind === 'waiting' || kind === 'yielded' ? kind : 'finished';
}

/** Discards the open superstep and all triggers. @returns the nodes of that superstep */
export function discardSuperstep(draft: Draft): VisitedNodes {
  const frame = rootFrame(draft);
  const visited = tasksOfFrame(frame).map(({ node }) => node.id);
  cancelOpenRequests(draft);
  draft.clearCounted();
  if (visited.length > 0) advanceStep(frame);
  moveToPosition(frame, { kind: 'ready', triggers: [], hasPassedBreakpoint: false }, []);
  return visited;
}
