/** Time that is left of a deadline: it runs, or stands still while nothing counts for it. Milliseconds. */
export interface Countdown {
  readonly leftMs: number;
  readonly runsSince: number | null;
}

/** A countdown that stands still, with all of its time. */
export function newCountdown(leftMs: number): Countdown {
  return { leftMs, runsSince: null };
}

/** Lets a countdown run from now on, or stand still with what is left. @returns `null`: it does already */
export function toggleCountdown({ leftMs, runsSince }: Countdown, runs: boolean, now: number): Countdown | null {
  if (runs === (runsSince !== null)) return null;
  return runsSince === null
    ? { leftMs, runsSince: now }
    : { leftMs: Math.max(0, leftMs - (now - runsSince)), runsSince: null };
}

/** When a countdown that runs is over; `null`: it stands still. */
export function endsAt({ leftMs, runsSince }: Countdown): number | null {
  return runsSince === null ? null : runsSince + leftMs;
}
