import type { Outline } from '../definition/node-types/node-description.ts';

/** A graph as something to draw: what the writers of Mermaid and PlantUML have in common. */
export interface Diagram {
  readonly shapes: readonly Shape[];
  readonly arrows: readonly Arrow[];
}

export interface Shape {
  /** Names the shape in all of the drawing: letters, digits and underscores, and no word of either language. */
  readonly key: string;
  readonly kind: ShapeKind;
  readonly outline: ShapeOutline;
  /** Six hexadecimal digits. */
  readonly fill: string;
  /** What stands in it, one text a line. */
  readonly lines: readonly string[];
  readonly isDeferred: boolean;
  readonly mark: Mark;
  /** What is drawn inside: the graph of an inline subgraph. */
  readonly inner: Diagram | null;
}

/** `start` and `end` are points, `join` is where several ways meet. */
export type ShapeKind = 'start' | 'end' | 'join' | 'node';

export type ShapeOutline = Outline | 'stadium' | 'circle';

export type Mark = 'none' | 'visited' | 'current';

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly kind: 'plain' | 'forEach' | 'detour';
  readonly label: string | null;
}

/** The nodes of a run that are marked, each by its id; one of an inline subgraph as `outer/inner`. */
export interface Marks {
  readonly visited: readonly string[];
  readonly current: readonly string[];
}

export const NO_MARKS: Marks = { visited: [], current: [] };

/** Text without what no diagram can show: control characters and halves of surrogate pairs. Lines end with `\n`. */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)\p{Cc}/gu, '\uFFFD');
}
