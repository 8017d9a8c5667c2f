import type { Draft, Frame } from './draft.ts';
import { rootFrame } from './frames.ts';
import { abandon } from './signals/abandon.ts';
import { drive, openStep } from './superstep.ts';

/**
 * Runs the node that a graph names for the end of a canceled run, as its last superstep: no edge leads on from it.
 * @returns false: it is over, or there is none
 */
export function closeDown(draft: Draft): boolean {
  const { run, graph } = draft;
  if (graph.onCancel === null || !run.cancellation) return false;
  const frame = withoutEdges(rootFrame(draft));
  if (!run.cancellation.isClosing) {
    run.cancellation = { ...run.cancellation, isClosing: true };
    run.pause = null;
    abandon(draft);
    frame.scope.triggers = [{ node: graph.onCancel }];
    openStep(draft, frame);
  }
  const standing = drive(draft, frame);
  return standing.kind === 'waiting' || standing.kind === 'full';
}

function withoutEdges(frame: Frame): Frame {
  return { ...frame, graph: { ...frame.graph, outgoing: new Map(), breakpoints: { before: [], after: [] } } };
}
