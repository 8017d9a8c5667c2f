/** How little the first places of a list count more than later ones; the value of Cormack, Clarke and Büttcher (SIGIR 2009). */
const RANK_CONSTANT = 60;

/**
 * Makes one order of several by reciprocal rank fusion: what stands far ahead in one, or well in many, comes first.
 * @param lists keys, the best first; each list has a key once
 * @returns every key once. Equal keys are in the order of their characters, so the same lists give the same order
 */
export function fuseRanks(lists: readonly (readonly string[])[]): readonly string[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [place, key] of list.entries())
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RANK_CONSTANT + place + 1));
  return [...scores]
    .toSorted(([key, score], [other, otherScore]) => otherScore - score || (key < other ? -1 : 1))
    .map(([key]) => key);
}
