import type { Breakpoints } from '../run/run.ts';
import type { Frame } from './frames.ts';
import { moveTo } from './scope-draft.ts';

/** Returns the given nodes that have a breakpoint of the graph or, at the root, of the run. */
export function stopsAmong(
  { draft: { run }, graph, path }: Frame,
  { at, nodes }: { at: keyof Breakpoints; nodes: readonly string[] },
): readonly string[] {
  const ofRun = path.length === 0 ? run.breakpoints[at] : NONE;
  if (ofRun.length + graph.breakpoints[at].length === 0) return NONE;
  const stops = new Set([...graph.breakpoints[at], ...ofRun]);
  return [...new Set(nodes.filter((node) => stops.has('*') || stops.has(node)))];
}

const NONE: readonly string[] = [];

/** Stops a graph at breakpoints before its next nodes, unless it has passed them. @returns true if it stops */
export function stopBefore(frame: Frame): boolean {
  const { at } = frame.scope;
  if (at.kind !== 'ready' || at.hasPassedBreakpoint) return false;
  const { triggers } = at;
  const nodes = stopsAmong(frame, { at: 'before', nodes: triggers.map(({ node }) => node) });
  if (nodes.length > 0) moveTo(frame, { kind: 'before', nodes, triggers });
  return nodes.length > 0;
}

/** Moves a stopped graph past its breakpoint; others stay unchanged. */
export function passBreakpoint(frame: Frame): void {
  const { at } = frame.scope;
  if (at.kind === 'before') moveTo(frame, { kind: 'ready', triggers: at.triggers, hasPassedBreakpoint: true });
  if (at.kind !== 'after') return;
  const { finished, triggers } = at;
  if (finished.length > 0) moveTo(frame, { kind: 'edges', finished, triggers });
  else moveTo(frame, { kind: 'ready', triggers, hasPassedBreakpoint: false });
}
