import type { TaskReference } from '../run/ids.ts';
import type { CompiledGraph, CompiledNode } from './compile.ts';

/** Finds a node of a graph, or of a graph inside it. @returns `null` if there is none */
export function findNode(
  graph: CompiledGraph,
  { node, path = [] }: Pick<TaskReference, 'node' | 'path'>,
): CompiledNode | null {
  let inner: CompiledGraph | null | undefined = graph;
  for (const around of path) inner = inner?.nodes.get(around)?.subgraph;
  return inner?.nodes.get(node) ?? null;
}
