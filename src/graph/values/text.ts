import { distance } from 'fastest-levenshtein';
import type { Json } from './json.ts';
/** The beginning of a text, whole letters only: half a surrogate pair is no text that protocol buffers can carry. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed();
}

/** A value as templates insert it into text: objects and lists as JSON, `null` as nothing. */
export function toText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

/** What was thrown says of itself. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The known name that a wrong one was probably meant to be, or `null` when none is close. */
function nearestName(wrong: string, known: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = (wrong.length <= 2 ? 1 : Math.max(2, Math.floor(wrong.length / 3))) + 1;
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const d = distance(wrong.toLowerCase(), name.toLowerCase());
    if (d < bestDistance) [best, bestDistance] = [name, d];
  }
  return best;
}

/** Ends a message about a wrong name: ` Did you mean "x"?`, or nothing. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  const name = nearestName(wrong, known);
  return name === null ? '' : ` Did you mean "${name}"?`;
}
