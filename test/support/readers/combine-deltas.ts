import type { Json } from '../../../src/graph/values/json.ts';
import { at, textAt } from './json-at.ts';

/** The text of one node's answer in deltas. */
export interface StreamedText {
  readonly node: string;
  /** The pieces of its latest attempt in order; a reader that was disconnected lacks some. */
  readonly pieces: readonly { readonly index: number; readonly text: string }[];
}

/** Combines deltas as docs/streams.md describes: a later attempt replaces an earlier one. */
export function combineDeltas(deltas: readonly Json[]): readonly StreamedText[] {
  const nodes = new Set(deltas.map((delta) => textAt(delta, '/node')));
  return [...nodes].map((node) => {
    const ofNode = deltas.filter((delta) => at(delta, '/node') === node);
    const latest = Math.max(...ofNode.map((delta) => numberAt(delta, '/attempt')));
    const pieces = ofNode
      .filter((delta) => at(delta, '/attempt') === latest)
      .map((delta) => ({ index: numberAt(delta, '/index'), text: textAt(delta, '/text') }))
      .toSorted((a, b) => a.index - b.index);
    return { node, pieces };
  });
}

/**
 * Completes the missing pieces from the complete text.
 * @returns `null` if the pieces are not part of that text, or are duplicated
 */
export function completedFrom(whole: string, pieces: StreamedText['pieces']): string | null {
  let text = '';
  let next = 0;
  for (const piece of pieces) {
    const start = piece.index === next ? text.length : whole.indexOf(piece.text, text.length);
    if (piece.index < next || start < 0 || !whole.startsWith(piece.text, start)) return null;
    text = whole.slice(0, start) + piece.text;
    next = piece.index + 1;
  }
  return text + whole.slice(text.length);
}

function numberAt(value: Json, pointer: string): number {
  const found = at(value, pointer);
  if (typeof found === 'number') return found;
  throw new TypeError(`There is no number at ${pointer} of ${JSON.stringify(value)}`);
}
