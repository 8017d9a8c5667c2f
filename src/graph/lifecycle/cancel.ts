import type { Visited } from '../journal/resume-point.ts';
import { isBeingCanceled, isEnding } from '../run/status.ts';
import { cancelOpenQuestions } from '../superstep/approvals.ts';
import type { Draft } from '../superstep/draft.ts';
import { rootFrame, tasksOf } from '../superstep/frames.ts';
import { moveTo, nextStep } from '../superstep/scope-draft.ts';
import { runSupersteps, openStep } from '../superstep/superstep.ts';
import { uncompensated } from './compensation.ts';

/** Begins to cancel a run: its approvals are canceled, and no new work begins. */
export function cancelRun(draft: Draft, by: string, reason: string | null): void {
  if (isBeingCanceled(draft.run)) return;
  if (!isEnding(draft.run)) cancelOpenQuestions(draft);
  draft.enter({ kind: 'canceling', by, reason });
}

/**
 * Runs the `onCancel` node of a canceled run as its last superstep. Each later occurrence calls this again.
 * @returns `over` if the node has finished, or there is none
 */
export function runLastNode(draft: Draft): 'waiting' | 'full' | 'over' {
  const { run, graph } = draft;
  const { phase } = run;
  if (graph.onCancel === null) return 'over';
  const frame = rootFrame(draft);
  if (phase.kind === 'canceling') {
    draft.enter({ ...phase, kind: 'closing', left: uncompensated(draft) ?? null });
    discardSuperstep(draft);
    openStep(frame, [{ node: graph.onCancel }]);
  }
  const { kind } = runSupersteps(frame);
  return kind === 'waiting' || kind === 'full' ? kind : 'over';
}

/** Discards the open superstep and all triggers. @returns the nodes of that superstep */
export function discardSuperstep(draft: Draft): Visited {
  const frame = rootFrame(draft);
  const visited = tasksOf(frame).map(({ node }) => node.id);
  cancelOpenQuestions(draft);
  draft.setCounted([]);
  if (visited.length > 0) nextStep(frame);
  moveTo(frame, { kind: 'ready', triggers: [], hasPassedBreakpoint: false }, []);
  return visited;
}
