import { scopeBindings } from './bindings.ts';
import type { CompiledGraph } from './compile.ts';
import { START } from './definition.ts';
import { EdgeFailure, fireEdges } from './edges.ts';
import type { Fired } from './edges.ts';
import type { Draft, Frame } from './draft.ts';
import type { RunError } from './errors.ts';
import type { Scope, Trigger } from './scope.ts';

/** Evaluates the edges of the nodes that have finished; what they lead to is triggered on top of what is. */
export function fire(draft: Draft, frame: Frame): RunError | null {
  const { scope } = frame;
  try {
    const { triggers, joins } = evaluateEdges(draft, frame);
    scope.joins = joins;
    scope.unfired = [];
    Object.assign(scope, sort(frame, triggers));
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
    const { triggers, deferred } = sort(frame, evaluateEdges(draft, frame).triggers);
    const next = triggers.length > 0 ? triggers : deferred;
    return [...new Set(next.map(({ node }) => node))].sort();
  } catch (error) {
    if (error instanceof EdgeFailure) return [];
    throw error;
  }
}

/** At a breakpoint after a node, what comes next depends on the new state. */
export function lookAgain(draft: Draft, frame: Frame): void {
  const { hold } = frame.scope;
  if (hold?.at === 'after') frame.scope.hold = { ...hold, next: previewNext(draft, frame) };
}

/** Has nodes run next, or when nothing else is left to run, besides those that are waiting for it. */
export function trigger(frame: Frame, nodes: readonly Trigger[]): void {
  const { triggers, deferred } = sort(frame, nodes);
  const waiting = new Set(frame.scope.deferred.map(({ node }) => node));
  frame.scope.triggers = triggers;
  frame.scope.deferred = [...frame.scope.deferred, ...deferred.filter(({ node }) => !waiting.has(node))];
}

function sort({ graph }: Frame, all: readonly Trigger[]): Pick<Scope, 'triggers' | 'deferred'> {
  return {
    triggers: all.filter(({ node }) => !isDeferred(graph, node)),
    deferred: all.filter(({ node }) => isDeferred(graph, node)),
  };
}

function isDeferred({ nodes }: CompiledGraph, node: string): boolean {
  return nodes.get(node)?.defer ?? false;
}

/** Where the edges of the nodes lead that have finished. @throws EdgeFailure */
export function evaluateEdges(draft: Draft, frame: Frame): Fired {
  const { graph, scope } = frame;
  return fireEdges(graph.outgoing, scope.joins, {
    finished: [...new Set(scope.unfired)].sort(),
    already: [...scope.triggers, ...scope.deferred],
    bindings: scopeBindings(draft, frame),
  });
}
