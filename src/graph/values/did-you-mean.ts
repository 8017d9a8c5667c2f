import { distance } from 'fastest-levenshtein';
import { truncate } from './text.ts';

/*
 * Suggestions for wrong names. A comparison with a known name takes about a microsecond. Untrusted clients may send
 * both wrong and known names, so the number of comparisons is limited.
 */

const comparisonBudget = { comparisons: 0, isOpen: false };

/** The limit for one wrong name, and for all wrong names within `withSuggestions`. */
const MAX_COMPARISONS = 10_000;

/** Longer names get no suggestion, because a comparison takes the product of both lengths. */
const MAX_COMPARED_NAME = 100;

/** Runs work in which all wrong names share one budget of comparisons. The last names may get no suggestion. */
export function withSuggestions<T>(work: () => T): T {
  if (comparisonBudget.isOpen) return work();
  Object.assign(comparisonBudget, { comparisons: MAX_COMPARISONS, isOpen: true });
  try {
    return work();
  } finally {
    comparisonBudget.isOpen = false;
  }
}

/** Returns the end of a message about a wrong name: ` Did you mean "x"?`, or an empty text. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  if (wrong.length > MAX_COMPARED_NAME) return '';
  const name = withSuggestions(() => nearestName(wrong, known));
  return name === null ? '' : ` Did you mean "${name}"?`;
}

/**
 * Returns the end of a message about a wrong name: `. Did you mean "x"?`, else `; known are a, b`, else a full stop.
 * @param listed the names to list instead of all known ones
 */
export function suggestNames(wrong: string, known: readonly string[], listed: readonly string[] = known): string {
  const suggestion = didYouMean(wrong, known);
  if (suggestion !== '' || listed.length === 0) return `.${suggestion}`;
  const more = listed.length > MAX_LISTED_NAMES ? ` and ${listed.length - MAX_LISTED_NAMES} more` : '';
  const names = listed.slice(0, MAX_LISTED_NAMES).map((name) => truncate(name, MAX_COMPARED_NAME));
  return `; known are ${names.join(', ')}${more}`;
}

const MAX_LISTED_NAMES = 10;

/**
 * Returns the known name at the smallest edit distance; `null` if none is within about a third of the wrong name's
 * length.
 */
function nearestName(wrong: string, known: Iterable<string>): string | null {
  const lower = wrong.toLowerCase();
  let best: string | null = null;
  let bestDistance = (wrong.length <= 2 ? 1 : Math.max(2, Math.floor(wrong.length / 3))) + 1;
  for (const name of known) {
    comparisonBudget.comparisons -= 1;
    if (comparisonBudget.comparisons < 0) return best;
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const nameDistance = distance(lower, name.toLowerCase());
    if (nameDistance < bestDistance) [best, bestDistance] = [name, nameDistance];
  }
  return best;
}
