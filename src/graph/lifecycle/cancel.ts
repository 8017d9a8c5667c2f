import type { Visited } from '../journal/resume-point.ts';
import { cancelOpenQuestions } from '../superstep/approvals.ts';
import type { Draft, Frame } from '../superstep/draft.ts';
import { rootFrame } from '../superstep/frames.ts';
import { runSupersteps, openStep } from '../superstep/superstep.ts';
import { uncompensated } from './compensation.ts';

/**
 * Runs the node that a graph names for the end of a canceled run, as its last superstep: nothing leads on from it, and
 * each time that something has happened it is looked at again.
 * @returns `over`: it is, or there is none
 */
export function runLastNode(draft: Draft): 'waiting' | 'full' | 'over' {
  const { run, graph } = draft;
  if (graph.onCancel === null || !run.cancellation) return 'over';
  const frame = withoutEdges(rootFrame(draft));
  if (!run.cancellation.isClosing) {
    const left = uncompensated(draft);
    run.cancellation = { ...run.cancellation, ...(left && { left }), isClosing: true };
    run.pause = { by: run.cancellation.by, reason: null };
    discardSuperstep(draft);
    frame.scope.triggers = [{ node: graph.onCancel }];
    openStep(draft, frame);
  }
  const { kind } = runSupersteps(draft, frame);
  return kind === 'waiting' || kind === 'full' ? kind : 'over';
}

function withoutEdges(frame: Frame): Frame {
  return { ...frame, graph: { ...frame.graph, outgoing: new Map(), breakpoints: { before: [], after: [] } } };
}

/** Gives the open superstep up, and everything that would come after it. @returns the nodes that were at work in it */
export function discardSuperstep(draft: Draft): Visited {
  const { scope } = rootFrame(draft);
  const visited = (scope.superstep?.tasks ?? []).map(({ node }) => node);
  cancelOpenQuestions(draft);
  delete draft.run.counted;
  if (scope.superstep) scope.step += 1;
  scope.superstep = null;
  scope.pendingEdges = [];
  scope.deferred = [];
  scope.triggers = [];
  scope.stoppedAt = null;
  draft.frames.clear();
  return visited;
}
