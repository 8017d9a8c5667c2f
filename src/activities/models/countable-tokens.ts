/** No model reads or writes more in one call; sums of such numbers are exact. */
export const MOST_TOKENS = 1_000_000_000;

/**
 * Makes a number of tokens, as a provider says it, one that a budget can count. A provider that says less than nothing would
 * give back what others have used.
 * @returns a whole number, 0 if the provider says nothing
 */
export function countableTokens(told: number | undefined): number {
  if (told === undefined || Number.isNaN(told)) return 0;
  return Math.ceil(Math.min(Math.max(told, 0), MOST_TOKENS));
}
