import { safeText } from '../../../src/graph/diagram/diagram.ts';

/** The lines that a diagram displays of a text, without surrounding spaces. */
export function displayedText(text: string): string {
  const lines = safeText(text).split('\n');
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim();
}
