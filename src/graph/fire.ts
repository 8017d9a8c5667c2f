import { scopeBindings } from './bindings.ts';
import { START } from './definition.ts';
import { EdgeFailure, fireEdges } from './edges.ts';
import type { Fired } from './edges.ts';
import type { Draft, Frame } from './draft.ts';
import type { RunError } from './errors.ts';
import { compare } from './plan-tasks.ts';
import type { Trigger } from './scope.ts';

/** Evaluates the edges of the nodes that have finished; what they lead to is triggered on top of what is. */
export function fire(draft: Draft, frame: Frame): RunError | null {
  const { graph, scope } = frame;
  try {
    const { triggers, joins } = evaluate(draft, frame);
    const isDeferred = ({ node }: Trigger): boolean => graph.nodes.get(node)?.defer ?? false;
    scope.joins = joins;
    scope.unfired = [];
    scope.deferred = triggers.filter(isDeferred);
    scope.triggers = triggers.filter((trigger) => !isDeferred(trigger));
    return null;
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    const { code, message } = error.cause;
    return { code, message, ...(error.node !== START && { node: error.node }), step: scope.step };
  }
}

/** Where the edges of a scope would lead now; nowhere when they can't tell. */
export function previewNext(draft: Draft, frame: Frame): readonly string[] {
  try {
    return [...new Set(evaluate(draft, frame).triggers.map(({ node }) => node))].sort(compare);
  } catch (error) {
    if (error instanceof EdgeFailure) return [];
    throw error;
  }
}

function evaluate(draft: Draft, frame: Frame): Fired {
  const { graph, scope } = frame;
  return fireEdges(graph.outgoing, scope.joins, {
    finished: [...new Set(scope.unfired)].sort(compare),
    already: [...scope.triggers, ...scope.deferred],
    bindings: scopeBindings(draft, frame),
  });
}
