import type { Clock } from './run.ts';

/** A clock that runs from now on, or stands still with what is left. @returns `null`: it does already */
export function toggledClock({ leftMs, runsSince }: Clock, runs: boolean, now: number): Clock | null {
  if (runs === (runsSince !== null)) return null;
  return runsSince === null
    ? { leftMs, runsSince: now }
    : { leftMs: Math.max(0, leftMs - (now - runsSince)), runsSince: null };
}
