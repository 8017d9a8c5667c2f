import { distance } from 'fastest-levenshtein';

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
