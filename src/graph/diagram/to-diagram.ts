import { END, START } from '../definition/definition.ts';
import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../definition/definition.ts';
import { toolGraph } from '../definition/graph-tools.ts';
import { innerGraph } from '../definition/node-types/describe-node.ts';
import { describeNode, nodeFields, fieldAt, namedEntries } from '../definition/node-types/describe-node.ts';
import { toList } from '../values/collections.ts';
import { abbreviate, createDistinctTexts } from '../values/text.ts';
import { arrowsOfNode, arrowsOfEdge } from './diagram.ts';
import type { OutgoingArrow, DiagramArrow, Diagram, NodeMark, MarkedNodes, DiagramShape } from './diagram.ts';

/** The maximum of characters of a line in a shape, and of a label. Longer ones are cut. */
const MAX_LINE_CHARACTERS = 200;

/**
 * Converts a definition into shapes and arrows. It leaves out edges from or to unknown nodes, and arrows beyond
 * `MAX_ARROWS`.
 */
export function toDiagram(definition: GraphDefinition, marks: MarkedNodes): Diagram {
  const markOf = markReader(marks);
  return boundArrows(drawGraph(definition, { path: [], keys: createKeys(), markOf }));
}

/** The graph that is being drawn, and the keys of its drawing. */
interface DiagramLevel {
  /** The ids of the enclosing nodes, outermost first. */
  readonly path: readonly string[];
  readonly keys: ShapeKeys;
  readonly markOf: (address: string) => NodeMark;
}

function drawGraph(definition: GraphDefinition, level: DiagramLevel): Diagram {
  const nodes = drawNodes(definition, level);
  const ids = new Map(nodes.map(({ id, shape }) => [id, shape.key]));
  const points = drawPoints(definition, level);
  for (const { kind, key } of points) ids.set(kind === 'start' ? START : END, key);
  const edges = definition.edges.map((edge, index) =>
    drawEdge(edge, ids, { ...level, path: [...level.path, String(index)] }),
  );
  const detours = nodes.flatMap(({ node, shape }) =>
    resolveArrows(arrowsOfNode(node), ids).map((arrow) => ({ from: shape.key, ...arrow })),
  );
  return {
    shapes: [...points, ...nodes.map(({ shape }) => shape), ...edges.flatMap(({ shapes }) => shapes)],
    arrows: [...edges.flatMap(({ arrows }) => arrows), ...detours],
  };
}

interface DrawnNode {
  readonly id: string;
  readonly node: NodeDefinition;
  readonly shape: DiagramShape;
}

function drawNodes(definition: GraphDefinition, level: DiagramLevel): readonly DrawnNode[] {
  return Object.entries(definition.nodes).map(([id, node]) => ({
    id,
    node,
    shape: drawNode(id, node, definition, level),
  }));
}

function drawNode(id: string, node: NodeDefinition, definition: GraphDefinition, level: DiagramLevel): DiagramShape {
  const path = [...level.path, id];
  const { outline, fill } = describeNode(nodeFields(node)).look;
  return {
    key: level.keys.take('n', path),
    kind: 'node',
    outline,
    fill,
    lines: shapeLines(id, node, definition).map((line) => abbreviate(line, MAX_LINE_CHARACTERS)),
    isDeferred: node.defer === true,
    mark: level.markOf(path.join('/')),
    inner: drawInside(node, definition, { ...level, path }),
  };
}

/** Draws an inline subgraph, or the graphs that a node calls as tools, which no edge leads to. */
function drawInside(node: NodeDefinition, { nodes }: GraphDefinition, level: DiagramLevel): Diagram | null {
  const tools = toolGraph(node, nodes);
  if (tools) return { shapes: drawNodes(tools, level).map(({ shape }) => shape), arrows: [] };
  const inner = innerGraph(node);
  return inner === null || typeof inner === 'string' ? null : drawGraph(inner, level);
}

/** Draws the start point, and the end point if an edge or a node leads there. */
function drawPoints({ edges, nodes }: GraphDefinition, { path, keys }: DiagramLevel): readonly DiagramShape[] {
  const ends = edges.some((edge) => arrowsOfEdge(edge).some(({ to }) => to === END));
  const leaves = Object.values(nodes).some((node) => arrowsOfNode(node).some(({ to }) => to === END));
  const kinds = ends || leaves ? (['start', 'end'] as const) : (['start'] as const);
  return kinds.map((kind) => ({
    ...START_OR_END_SHAPE,
    kind,
    key: keys.take(POINT_PREFIXES[kind], path),
    lines: [kind],
  }));
}

const POINT_PREFIXES = { start: 'begin', end: 'finish' } as const;
const START_OR_END_SHAPE = {
  outline: 'stadium',
  fill: 'FFFFFF',
  isDeferred: false,
  mark: 'none',
  inner: null,
} as const;

/** Draws one edge. The arrows of several sources meet in a join. */
function drawEdge(edge: EdgeDefinition, ids: ReadonlyMap<string, string>, { path, keys }: DiagramLevel): Diagram {
  const sources = [...new Set(toList(edge.from))].flatMap((id) => ids.get(id) ?? []);
  const outgoing = resolveArrows(arrowsOfEdge(edge), ids);
  const [first] = sources;
  if (sources.length < 2)
    return { shapes: [], arrows: first ? outgoing.map((arrow) => ({ from: first, ...arrow })) : [] };
  const join: DiagramShape = {
    ...START_OR_END_SHAPE,
    kind: 'join',
    outline: 'circle',
    key: keys.take('join', path),
    lines: ['all'],
  };
  const into = sources.map((from): DiagramArrow => ({ from, to: join.key, kind: 'plain', label: null }));
  return { shapes: [join], arrows: [...into, ...outgoing.map((arrow) => ({ from: join.key, ...arrow }))] };
}

/** Replaces node ids by shape keys, and cuts labels. Arrows to unknown nodes are left out. */
function resolveArrows(arrows: readonly OutgoingArrow[], ids: ReadonlyMap<string, string>): readonly OutgoingArrow[] {
  return arrows.flatMap(({ to, kind, label }) => {
    const key = ids.get(to);
    return key === undefined
      ? []
      : [{ to: key, kind, label: label === null ? null : abbreviate(label, MAX_LINE_CHARACTERS) }];
  });
}

/** A node around a visited one is visited: a graph that is a tool has no superstep of its own. */
function markReader({ visited, current }: MarkedNodes): (address: string) => NodeMark {
  const seen = new Set(visited.flatMap(withEnclosingNodes));
  const now = new Set(current);
  return (address) => {
    if (now.has(address)) return 'current';
    return seen.has(address) ? 'visited' : 'none';
  };
}

function withEnclosingNodes(address: string): readonly string[] {
  const ids = address.split('/');
  return ids.map((_id, place) => ids.slice(0, place + 1).join('/'));
}

/**
 * The limit of arrows in a drawing. Targets in lists repeat a label, so the text of the arrows can be hundreds of times
 * as long as a definition of 1 MiB.
 */
const MAX_ARROWS = 5_000;

/** Drops the arrows beyond the limit and draws the number of dropped ones. */
function boundArrows(diagram: Diagram): Diagram {
  let left = MAX_ARROWS;
  const keepArrows = ({ shapes, arrows }: Diagram): Diagram => {
    const kept = arrows.slice(0, Math.max(0, left));
    left -= arrows.length;
    return {
      shapes: shapes.map((shape) => (shape.inner ? { ...shape, inner: keepArrows(shape.inner) } : shape)),
      arrows: kept,
    };
  };
  const bounded = keepArrows(diagram);
  return left < 0 ? { ...bounded, shapes: [...bounded.shapes, omissionNote(-left)] } : bounded;
}

function omissionNote(count: number): DiagramShape {
  return {
    key: 'omitted',
    kind: 'node',
    outline: 'stadium',
    fill: 'FFFFFF',
    lines: [`${count} more arrows are not drawn`],
    isDeferred: false,
    mark: 'none',
    inner: null,
  };
}

/** Makes unique keys for the shapes of a drawing. */
export interface ShapeKeys {
  /**
   * @param prefix the kind of key; it keeps the key of a node from being a keyword, such as `end`
   * @param path ids; other characters than letters and digits become underscores, and long ids are cut
   */
  take(prefix: string, path: readonly string[]): string;
}

/** The maximum of characters of an id in a key. */
const MAX_KEY_CHARACTERS = 60;

function createKeys(): ShapeKeys {
  const takeUnique = createDistinctTexts((wanted, copy) => (copy === 1 ? wanted : `${wanted}__${copy}`));
  const toKeyText = (id: string): string => id.slice(0, MAX_KEY_CHARACTERS).replaceAll(/[^A-Za-z0-9]/g, '_');
  return { take: (prefix, path) => takeUnique([prefix, ...path.map(toKeyText)].join('_')) };
}

/** Returns the text of a node: its id, its type with its subject, and its notes. */
function shapeLines(id: string, node: NodeDefinition, definition: GraphDefinition): readonly string[] {
  const fields = nodeFields(node);
  const { subject = [], notes = [] } = describeNode(fields).look;
  const about = subject.map((field) => fieldAt(fields, field)).find((value) => typeof value === 'string');
  return [
    id,
    about === undefined ? node.type : `${node.type}: ${about}`,
    ...(node.defer === true ? ['deferred'] : []),
    ...notes.flatMap(({ label, field }) => namedEntries(node, [field]).map((name) => `${label}: ${name}`)),
    ...(definition.onCancel === id ? ['runs last when canceled'] : []),
    ...(isLastOfFailed(id, definition) ? ['runs last when failed'] : []),
    ...(isListedNode(id, definition.interruptBefore) ? ['pauses before'] : []),
    ...(isListedNode(id, definition.interruptAfter) ? ['pauses after'] : []),
  ];
}

function isLastOfFailed(id: string, { onFail }: GraphDefinition): boolean {
  return (typeof onFail === 'object' ? onFail.to : onFail) === id;
}

function isListedNode(id: string, names: readonly string[] = []): boolean {
  return names.includes(id) || names.includes('*');
}
