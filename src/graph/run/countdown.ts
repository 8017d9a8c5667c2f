/** A clock that runs from now on, or stands still with what is left. @returns `null`: it does already */
export function toggleCountdown({ leftMs, runsSince }: Countdown, runs: boolean, now: number): Countdown | null {
  if (runs === (runsSince !== null)) return null;
  return runsSince === null
    ? { leftMs, runsSince: now }
    : { leftMs: Math.max(0, leftMs - (now - runsSince)), runsSince: null };
}

/** Time that counts for the deadline of several calls: none counts while a node only waits for people. Milliseconds. */
export interface Stopwatch {
  readonly usedMs: number;
  /** When it was read last. */
  readonly at: number;
}

/** Stands still while the run only waits for people. Milliseconds. */
export interface Countdown {
  readonly leftMs: number;
  readonly runsSince: number | null;
}
