import type { Outline } from '../definition/node-types/node-description.ts';

/** A graph as shapes and arrows, for the Mermaid and PlantUML writers. */
export interface Diagram {
  readonly shapes: readonly Shape[];
  readonly arrows: readonly Arrow[];
}

export interface Shape {
  /** Unique in the drawing: letters, digits and underscores, and no keyword of Mermaid or PlantUML. */
  readonly key: string;
  readonly kind: ShapeKind;
  readonly outline: ShapeOutline;
  /** Six hexadecimal digits. */
  readonly fill: string;
  /** The lines of text inside. */
  readonly lines: readonly string[];
  readonly isDeferred: boolean;
  readonly mark: Mark;
  /** What is drawn inside: an inline subgraph, or the graphs that the node calls as tools. */
  readonly inner: Diagram | null;
}

/** `start` and `end` are points; several arrows meet in a `join`. */
export type ShapeKind = 'start' | 'end' | 'join' | 'node';

export type ShapeOutline = Outline | 'stadium' | 'circle';

export type Mark = 'none' | 'visited' | 'current';

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly kind: 'plain' | 'forEach' | 'detour';
  readonly label: string | null;
}

/** The marked nodes of a run, by id. The id of a node inside another is `outer/inner`. */
export interface Marks {
  readonly visited: readonly string[];
  readonly current: readonly string[];
}

export const NO_MARKS: Marks = { visited: [], current: [] };

/** Removes control characters and lone surrogates, which diagrams cannot show. Lines end with `\n`. */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)\p{Cc}/gu, '\uFFFD');
}
