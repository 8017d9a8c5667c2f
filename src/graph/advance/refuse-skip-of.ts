import type { CompiledGraph } from '../compile/compile.ts';
import { findGraph } from '../compile/find-node.ts';
import { refuseActingAs } from '../lifecycle/held-nodes.ts';
import type { Actor } from '../lifecycle/held-nodes.ts';
import type { TaskReference } from '../run/ids.ts';
import type { Refusal } from '../run/refusal.ts';

/** A node of a graph, or of a graph inside it. */
export type NodePlace = Pick<TaskReference, 'node' | 'path'>;

/**
 * Refuses to skip a node that speaks for people, as the signal does. The graph alone tells: approvals that a run has asked
 * for calls of the node are not known here.
 */
export function refuseSkipOf(graph: CompiledGraph, { node, path = [] }: NodePlace, actor: Actor): Refusal | null {
  const inner = findGraph(graph, path);
  return inner?.nodes.has(node) ? refuseActingAs(inner, node, actor) : null;
}
