import type { Draft } from '../draft/draft.ts';
import { emitOfRun } from '../draft/emit.ts';
import { openFrames, rootFrame } from '../draft/frames.ts';
import { passBreakpoint } from '../superstep/breakpoints.ts';

/** Lets a run continue past its breakpoints, and ends its pause. */
export function resumeRun(draft: Draft, by: string): void {
  for (const frame of openFrames(rootFrame(draft))) passBreakpoint(frame);
  if (draft.run.phase.kind === 'paused') emitOfRun(draft, { type: 'run.resumed', by });
  draft.enter({ kind: 'running', pause: null });
}
