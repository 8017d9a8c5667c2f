import type { Outline } from '../definition/node-types/node-description.ts';
import { END, forEdge } from '../definition/definition.ts';
import type { EdgeDefinition, ForEachEdge, NodeDefinition, Target, EdgeTable } from '../definition/definition.ts';
import { namedEntries, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import { toList } from '../values/collections.ts';

/** A graph as shapes and arrows, for the Mermaid and PlantUML writers. */
export interface Diagram {
  readonly shapes: readonly DiagramShape[];
  readonly arrows: readonly DiagramArrow[];
}

export interface DiagramShape {
  /** Unique in the drawing: letters, digits and underscores, and no keyword of Mermaid or PlantUML. */
  readonly key: string;
  readonly kind: ShapeKind;
  readonly outline: ShapeOutline;
  /** Six hexadecimal digits. */
  readonly fill: string;
  /** The lines of text inside. */
  readonly lines: readonly string[];
  readonly isDeferred: boolean;
  readonly mark: NodeMark;
  /** The drawing inside: an inline subgraph, or the graphs that the node calls as tools. */
  readonly inner: Diagram | null;
}

/** `start` and `end` are points; several arrows meet in a `join`. */
export type ShapeKind = 'start' | 'end' | 'join' | 'node';

export type ShapeOutline = Outline | 'stadium' | 'circle';

export type NodeMark = 'none' | 'visited' | 'current';

export interface DiagramArrow {
  readonly from: string;
  readonly to: string;
  readonly kind: 'plain' | 'forEach' | 'detour';
  readonly label: string | null;
}

/** The marked nodes of a run, by id. The id of a node inside another is `outer/inner`. */
export interface MarkedNodes {
  readonly visited: readonly string[];
  readonly current: readonly string[];
}

export const NO_MARKS: MarkedNodes = { visited: [], current: [] };

/** Removes control characters and lone surrogates, which diagrams cannot show. Lines end with `\n`. */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)\p{Cc}/gu, '\uFFFD');
}

/** An arrow without its source. */
export type OutgoingArrow = Omit<DiagramArrow, 'from'>;

/** Returns the arrows of an edge, each with a node id as target and its condition as label. */
export function arrowsOfEdge(edge: EdgeDefinition): readonly OutgoingArrow[] {
  return forEdge(edge, ARROWS_BY_EDGE_KIND);
}

const ARROWS_BY_EDGE_KIND: EdgeTable<readonly OutgoingArrow[]> = {
  plain: ({ to }) => plainArrows(to, null),
  branches: ({ branches }) => branches.flatMap(({ when, to }) => plainArrows(to, when ?? DEFAULT)),
  route: ({ paths, default: otherwise }) => [
    ...Object.entries(paths).flatMap(([value, to]) => plainArrows(to, value)),
    ...(otherwise === undefined ? [] : plainArrows(otherwise, DEFAULT)),
  ],
  forEach: arrowsOfForEach,
};

/** Returns the arrows to the nodes that a node may go to without an edge. */
export function arrowsOfNode(node: NodeDefinition): readonly OutgoingArrow[] {
  const { onError } = node;
  const onFailure = typeof onError === 'object' ? [detourArrow(onError.to, 'on error')] : [];
  const chosen = fieldsOfKind('goto').flatMap((field) =>
    namedEntries(node, [field]).map((name) => detourArrow(name, field === 'handoff' ? 'hand-off' : 'goto')),
  );
  return [...onFailure, ...chosen];
}

const DEFAULT = 'default';

function plainArrows(target: Target, label: string | null): readonly OutgoingArrow[] {
  const named = toList(target);
  return (named.length === 0 ? [END] : named).map((to) => ({ to, kind: 'plain', label }));
}

function arrowsOfForEach(edge: ForEachEdge): readonly OutgoingArrow[] {
  const { to, paths = {}, default: otherwise } = edge;
  const label = describeForEach(edge);
  if (to !== undefined) return [{ to, kind: 'forEach', label }];
  const routed = [...Object.entries(paths), ...(otherwise === undefined ? [] : [[DEFAULT, otherwise] as const])];
  return routed.flatMap(([value, target]) =>
    plainArrows(target, `${value}: ${label}`).map((arrow) => ({ ...arrow, kind: 'forEach' as const })),
  );
}

function describeForEach({ forEach, maxConcurrency }: ForEachEdge): string {
  const bound = maxConcurrency === undefined ? '' : ` (${maxConcurrency} at a time)`;
  return `for each of ${forEach}${bound}`;
}

function detourArrow(to: string, label: string): OutgoingArrow {
  return { to, kind: 'detour', label };
}
