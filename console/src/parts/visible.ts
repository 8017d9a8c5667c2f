import { escapeInvisible } from '../../../src/graph/values/escape-invisible.ts';

/** Writes out what a text has that is not seen, such as marks that turn its direction around; tabs and ends of lines stay. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\t').map(escapeInvisible).join('\t');
}
