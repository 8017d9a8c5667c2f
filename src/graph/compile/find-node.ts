import type { NodePath, TaskReference } from '../run/ids.ts';
import type { CompiledGraph, CompiledNode } from './compile.ts';

/** Finds a node of a graph, or of a graph inside it. @returns `null` if there is none */
export function findNode(
  graph: CompiledGraph,
  { node, path = [] }: Pick<TaskReference, 'node' | 'path'>,
): CompiledNode | null {
  return findGraph(graph, path)?.nodes.get(node) ?? null;
}

/** Finds the graph inside some nodes. @returns `null` if there is none */
export function findGraph(graph: CompiledGraph, path: NodePath): CompiledGraph | null {
  let inner: CompiledGraph | null | undefined = graph;
  for (const around of path) inner = inner?.nodes.get(around)?.subgraph;
  return inner ?? null;
}
