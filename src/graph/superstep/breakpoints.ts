import type { Breakpoints } from '../run/run.ts';
import type { Trigger } from '../run/scope.ts';
import type { Draft, Frame } from './draft.ts';

/** The nodes among some that a breakpoint of the graph, or of the run, stands at. */
export function stopsAmong(
  { run }: Draft,
  { graph, path }: Frame,
  { at, nodes }: { at: keyof Breakpoints; nodes: readonly string[] },
): readonly string[] {
  const ofRun = path.length === 0 ? run.breakpoints[at] : NONE;
  if (ofRun.length + graph.breakpoints[at].length === 0) return NONE;
  const stops = new Set([...graph.breakpoints[at], ...ofRun]);
  return [...new Set(nodes.filter((node) => stops.has('*') || stops.has(node)))];
}

const NONE: readonly string[] = [];

/** Has a graph stand at the breakpoints before the nodes that are ready, unless they have been passed. @returns whether it does */
export function stopBefore(draft: Draft, frame: Frame, ready: readonly Trigger[]): boolean {
  const { scope } = frame;
  if (scope.hasPassedBreakpoint) return false;
  const nodes = stopsAmong(draft, frame, { at: 'before', nodes: ready.map(({ node }) => node) });
  if (nodes.length > 0) scope.stoppedAt = { at: 'before', nodes };
  return nodes.length > 0;
}
