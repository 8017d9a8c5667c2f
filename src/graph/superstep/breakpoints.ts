import type { Frame } from '../draft/frames.ts';
import { moveTo } from '../draft/scope-draft.ts';
import type { Breakpoints } from '../run/run.ts';
import { isClosing } from '../run/status.ts';
import { previewNextNodes } from './next-nodes.ts';

/** Stops a graph at breakpoints before its next nodes, unless it has passed them. @returns true if it stops */
export function stopAtBreakpointBefore(frame: Frame): boolean {
  const { at } = frame.scope;
  if (at.kind !== 'ready' || at.hasPassedBreakpoint) return false;
  const { triggers } = at;
  const next = triggers.map(({ node }) => node);
  const nodes = nodesWithBreakpoint(frame, next, 'before');
  if (nodes.length > 0) moveTo(frame, { kind: 'before', nodes, triggers });
  return nodes.length > 0;
}

/** Stops a graph at breakpoints after its finished nodes. @returns true if it stops */
export function stopAtBreakpointAfter(frame: Frame, finished: readonly string[]): boolean {
  const { at } = frame.scope;
  const nodes = nodesWithBreakpoint(frame, finished, 'after');
  if (nodes.length === 0 || at.kind !== 'edges') return false;
  moveTo(frame, { ...at, kind: 'after', nodes, next: previewNextNodes(frame) });
  return true;
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

/** Returns the given nodes that have a breakpoint of the graph or, in the run's own graph, of the run. A canceled run has none. */
function nodesWithBreakpoint(
  { draft: { run }, graph, path }: Frame,
  nodes: readonly string[],
  side: keyof Breakpoints,
): readonly string[] {
  if (isClosing(run)) return NONE;
  const ofRun = path.length === 0 ? run.breakpoints[side] : NONE;
  if (ofRun.length + graph.breakpoints[side].length === 0) return NONE;
  const stops = new Set([...graph.breakpoints[side], ...ofRun]);
  return [...new Set(nodes.filter((node) => stops.has('*') || stops.has(node)))];
}

const NONE: readonly string[] = [];
