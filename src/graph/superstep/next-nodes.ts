import type { CompiledEdge } from '../compile/edges.ts';
import { START } from '../definition/definition.ts';
import { withEdgeAllowance } from '../draft/allowances.ts';
import { edgeBindings } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { moveTo, setJoins } from '../draft/scope-draft.ts';
import { MAX_HELD_BYTES } from '../run/held-bytes.ts';
import { finishedAt, namesOfNext, triggersAt } from '../run/scope-place.ts';
import type { SortedTriggers } from '../run/scope-place.ts';
import type { Trigger } from '../run/scope.ts';
import type { RunError } from '../values/errors.ts';
import { EdgeFailure, fireEdges } from './fire-edges.ts';
import type { Fired } from './fire-edges.ts';

/** Evaluates the edges of finished nodes and adds their targets to the triggers. @returns the error of an edge */
export function triggerNextNodes(frame: Frame): RunError | null {
  try {
    const { triggers: all, joins } = evaluateEdges(frame);
    const { triggers, deferred } = sortTriggers(frame, all);
    setJoins(frame, joins);
    moveTo(frame, { kind: 'ready', triggers, hasPassedBreakpoint: false }, deferred);
    return null;
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    const { code, message } = error.cause;
    return { code, message, ...(error.node !== START && { node: error.node }), step: frame.step };
  }
}

/** Returns the current edge targets of a scope; none if an edge fails. */
export function previewNextNodes(frame: Frame): readonly string[] {
  try {
    return namesOfNext(sortTriggers(frame, evaluateEdges(frame).triggers));
  } catch (error) {
    if (error instanceof EdgeFailure) return [];
    throw error;
  }
}

/** Previews the next nodes of a graph at a breakpoint after nodes again, because its state has changed. */
export function refreshNextNodes(frame: Frame): void {
  const { at } = frame.scope;
  if (at.kind === 'after') moveTo(frame, { ...at, next: previewNextNodes(frame) });
}

/** Separates ordinary triggers from those of deferred nodes. */
export function sortTriggers({ graph: { nodes } }: Frame, all: readonly Trigger[]): SortedTriggers {
  const isDeferred = ({ node }: Trigger): boolean => nodes.get(node)?.defer ?? false;
  return { triggers: all.filter((trigger) => !isDeferred(trigger)), deferred: all.filter(isDeferred) };
}

/** Finds the targets of a scope's edges. @throws EdgeFailure */
function evaluateEdges(frame: Frame): Fired {
  const { graph, scope } = frame;
  const { at, deferred, joins } = scope;
  const input = {
    finished: [...new Set(finishedAt(at))].sort(),
    already: [...triggersAt(at), ...deferred],
    bindings: (edge: CompiledEdge) => edgeBindings(frame, edge),
    maxTasks: graph.catalog.ceilings.superstepTasks,
    maxBytes: MAX_HELD_BYTES - frame.draft.run.heldBytes,
  };
  return withEdgeAllowance(frame, () => fireEdges(graph.outgoing, joins, input));
}
