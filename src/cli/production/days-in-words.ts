const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Writes a retention: in days, or in hours where these are no whole days. */
export function daysInWords(ms: number): string {
  if (ms === DAY_MS) return 'a day';
  return ms % DAY_MS === 0 ? `${ms / DAY_MS} days` : `${Math.round(ms / HOUR_MS)} hours`;
}
