/** A clock that runs from now on, or stands still with what is left. @returns `null`: it does already */
export function toggledClock({ leftMs, runsSince }: Clock, runs: boolean, now: number): Clock | null {
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
export interface Clock {
  readonly leftMs: number;
  readonly runsSince: number | null;
}
