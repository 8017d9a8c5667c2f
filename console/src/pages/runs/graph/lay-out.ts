import { Graph, layout } from '@dagrejs/dagre';
import { END, START, arrowsOf, describeNode, innerOf, nodesOf } from './definition.ts';
import type { Arrow, Definition } from './definition.ts';

/** A node in its place: the upper left corner, in pixels. */
export interface PlacedNode {
  readonly id: string;
  readonly kind: 'start' | 'end' | 'node';
  /** Type and subject. */
  readonly about: string;
  readonly inner: Definition | string | null;
  readonly x: number;
  readonly y: number;
}

/** A definition with places for its nodes; they do not depend on any run. */
export interface Drawing {
  readonly nodes: readonly PlacedNode[];
  readonly arrows: readonly Arrow[];
}

export const NODE_SIZE = { width: 208, height: 76 };
export const POINT_SIZE = { width: 72, height: 36 };

type Unplaced = Omit<PlacedNode, 'x' | 'y'>;

/** Lays a definition out from top to bottom. */
export function layOut(definition: Definition): Drawing {
  const arrows = arrowsOf(definition);
  const nodes: readonly Unplaced[] = [
    { id: START, kind: 'start', about: 'start', inner: null },
    ...nodesOf(definition).map(([id, node]): Unplaced => ({
      id,
      kind: 'node',
      about: describeNode(node),
      inner: innerOf(node),
    })),
    ...(arrows.some(({ to }) => to === END) ? [{ id: END, kind: 'end', about: 'end', inner: null } as const] : []),
  ];
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 32, ranksep: 56 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { ...sizeOf(node) });
  for (const [number, { from, to }] of arrows.entries()) graph.setEdge(from, to, {}, String(number));
  layout(graph);
  return { arrows, nodes: nodes.map((node) => ({ ...node, ...cornerOf(graph.node(node.id), sizeOf(node)) })) };
}

export function sizeOf({ kind }: Pick<PlacedNode, 'kind'>): { readonly width: number; readonly height: number } {
  return kind === 'node' ? NODE_SIZE : POINT_SIZE;
}

/** The layout names the middle of a node. */
function cornerOf(
  middle: { readonly x?: number; readonly y?: number },
  { width, height }: { readonly width: number; readonly height: number },
): Pick<PlacedNode, 'x' | 'y'> {
  return { x: Math.round((middle.x ?? 0) - width / 2), y: Math.round((middle.y ?? 0) - height / 2) };
}
