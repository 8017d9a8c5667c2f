/** The rest of a deadline in milliseconds. A countdown runs or is stopped. */
export interface Countdown {
  readonly leftMs: number;
  readonly runsSince: number | null;
}

/** Returns a stopped countdown with all of its time. */
export function newCountdown(leftMs: number): Countdown {
  return { leftMs, runsSince: null };
}

/** Starts or stops a countdown. @returns `null` if nothing changes */
export function toggleCountdown({ leftMs, runsSince }: Countdown, runs: boolean, now: number): Countdown | null {
  if (runs === (runsSince !== null)) return null;
  return runsSince === null
    ? { leftMs, runsSince: now }
    : { leftMs: leftAt({ leftMs, runsSince }, now), runsSince: null };
}

/** Returns the milliseconds that a countdown has left. */
export function leftAt({ leftMs, runsSince }: Countdown, now: number): number {
  return runsSince === null ? leftMs : Math.max(0, leftMs - (now - runsSince));
}

/** Returns the time at which a running countdown ends; `null` if it is stopped. */
export function endsAt({ leftMs, runsSince }: Countdown): number | null {
  return runsSince === null ? null : runsSince + leftMs;
}
