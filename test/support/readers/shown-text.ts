import { safeText } from '../../../src/graph/diagram/diagram.ts';

/** What a diagram shows of a text: its lines, without the space around them. */
export function shownText(text: string): string {
  const lines = safeText(text).split('\n');
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim();
}
