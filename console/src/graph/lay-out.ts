import { Graph, layout } from '@dagrejs/dagre';
import { END, START, arrowsOf, describeNode, innerOf, lastNodeNotes, nodesOf } from './definition.ts';
import type { Arrow, Definition } from './definition.ts';

/** In pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A node with the position of its upper left corner. */
export interface LaidOutNode extends Point {
  readonly id: string;
  readonly kind: 'start' | 'end' | 'node';
  /** Type and subject. */
  readonly about: string;
  readonly inner: Definition | string | null;
}

/** An arrow with its path around the nodes. */
interface LaidOutArrow extends Arrow {
  readonly points: readonly Point[];
  /** The center of its label. */
  readonly labelAt: Point;
}

/** The layout of a definition. It does not depend on a run. */
export interface Drawing {
  readonly nodes: readonly LaidOutNode[];
  readonly arrows: readonly LaidOutArrow[];
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const NODE_SIZE: Size = { width: 208, height: 76 };
const POINT_SIZE: Size = { width: 72, height: 36 };
const LONGEST_LABEL = 36;
const LETTER_PX = 6;
const LINE_PX = 18;

type Shape = Omit<LaidOutNode, keyof Point>;

/** Lays a definition out from top to bottom. */
export function layOut(definition: Definition): Drawing {
  const arrows = arrowsOf(definition).map((arrow) => ({ ...arrow, label: shorten(arrow.label) }));
  const nodes = shapesOf(definition, arrows);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 40, edgesep: 18 });
  for (const node of nodes) graph.setNode(node.id, { ...sizeOf(node) });
  for (const [number, { from, to, label }] of arrows.entries())
    graph.setEdge(from, to, { ...sizeOfLabel(label), labelpos: 'c' }, String(number));
  layout(graph);
  const pathOf = ({ from, to, label }: Arrow, number: number): ArrowPath =>
    from === to
      ? loopAt(readPoint(graph.node(from)), label)
      : readArrowPath(graph.edge({ v: from, w: to, name: String(number) }));
  return {
    nodes: nodes.map((node) => ({ ...node, ...cornerOf(readPoint(graph.node(node.id)), sizeOf(node)) })),
    arrows: arrows.map((arrow, number) => ({ ...arrow, ...pathOf(arrow, number) })),
    height: graph.graph().height ?? 0,
  };
}

function shapesOf(definition: Definition, arrows: readonly Arrow[]): readonly Shape[] {
  const hasEnd = arrows.some(({ to }) => to === END);
  return [
    { id: START, kind: 'start', about: 'start', inner: null },
    ...nodesOf(definition).map(([id, node]): Shape => ({
      id,
      kind: 'node',
      about: [describeNode(node), ...lastNodeNotes(id, definition)].join(', '),
      inner: innerOf(node, definition),
    })),
    ...(hasEnd ? [{ id: END, kind: 'end', about: 'end', inner: null } as const] : []),
  ];
}

function shorten(label: string | null): string | null {
  return label !== null && label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL)}…` : label;
}

export function sizeOf({ kind }: Pick<LaidOutNode, 'kind'>): Size {
  return kind === 'node' ? NODE_SIZE : POINT_SIZE;
}

function sizeOfLabel(label: string | null): Size {
  return label === null ? { width: 0, height: 0 } : { width: label.length * LETTER_PX, height: LINE_PX };
}

/** Converts the center of a node, as dagre returns it, to its upper left corner. */
function cornerOf({ x, y }: Point, { width, height }: Size): Point {
  return { x: Math.round(x - width / 2), y: Math.round(y - height / 2) };
}

function readPoint({ x = 0, y = 0 }: Partial<Point>): Point {
  return { x, y };
}

type ArrowPath = Pick<LaidOutArrow, 'points' | 'labelAt'>;

/** An edge that dagre has laid out. Its own coordinates are those of its label. */
interface DagreEdge extends Partial<Point> {
  readonly points?: readonly Partial<Point>[];
}

function readArrowPath(edge: DagreEdge): ArrowPath {
  return { points: (edge.points ?? []).map(readPoint), labelAt: readPoint(edge) };
}

const LOOP_PX = 36;

/** The path of an arrow from a node to itself, at its right side. */
function loopAt({ x, y }: Point, label: string | null): ArrowPath {
  const side = x + NODE_SIZE.width / 2;
  const [above, below] = [y - NODE_SIZE.height / 4, y + NODE_SIZE.height / 4];
  return {
    points: [
      { x: side, y: above },
      { x: side + LOOP_PX, y: above },
      { x: side + LOOP_PX, y: below },
      { x: side, y: below },
    ],
    labelAt: { x: side + LOOP_PX + sizeOfLabel(label).width / 2, y },
  };
}

/** Converts points to an SVG path with rounded corners. */
export function toPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return '';
  const curves = rest.map((point, index) => {
    const end = middle(point, rest[index + 1] ?? last);
    return `Q ${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return [`M ${first.x} ${first.y}`, ...curves, `L ${last.x} ${last.y}`].join(' ');
}

function middle(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}
