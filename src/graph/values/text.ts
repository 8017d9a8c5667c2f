import { distance } from 'fastest-levenshtein';
import type { Json } from './json.ts';

/**
 * Cuts a text to `maxLength` UTF-16 units. Half a surrogate pair at the cut is replaced: protocol buffers refuse it.
 */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed();
}

/** Cuts a text to about `maxLength` UTF-16 units, and says so by an ellipsis. */
export function abbreviate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${truncate(text, maxLength)}…` : text;
}

/** Writes a value as templates insert it into text: objects and lists as JSON, `null` as nothing. */
export function toText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Ends a message about a wrong name: ` Did you mean "x"?`, or nothing. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  if (wrong.length > MAX_NAME) return '';
  const name = nearestName(wrong, known);
  return name === null ? '' : ` Did you mean "${name}"?`;
}

/** The comparison takes the product of both lengths. */
const MAX_NAME = 100;

/** The known name at the smallest edit distance; `null`: none is within about a third of the wrong name's length. */
function nearestName(wrong: string, known: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = (wrong.length <= 2 ? 1 : Math.max(2, Math.floor(wrong.length / 3))) + 1;
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const nameDistance = distance(wrong.toLowerCase(), name.toLowerCase());
    if (nameDistance < bestDistance) [best, bestDistance] = [name, nameDistance];
  }
  return best;
}
