import { toMs } from '../duration.ts';
import { GraphError } from '../errors.ts';
import type { NodeScope } from './node-scope.ts';
import type { Stopwatch } from './position.ts';

/** The deadline of a node that makes several calls, which share it; `null`: there is none, or each call has all of it. */
export function sharedDeadline({ deadline }: { readonly deadline?: string }, { version }: NodeScope): number | null {
  return deadline === undefined || version < 4 ? null : toMs(deadline);
}

export function startStopwatch(now: number): Stopwatch {
  return { usedMs: 0, at: now };
}

/** Reads a stopwatch. @param isAtWork whether the time since it was read last counts */
export function readStopwatch({ usedMs, at }: Stopwatch, now: number, isAtWork: boolean): Stopwatch {
  return { usedMs: usedMs + (isAtWork ? now - at : 0), at: now };
}

/**
 * Milliseconds that are left of the deadline of a node of some type; `null`: there is none.
 * @throws GraphError `TIMEOUT` when it is over
 */
export function timeLeft(type: string, deadlineMs: number | null, { usedMs }: Stopwatch): number | null {
  if (deadlineMs === null) return null;
  const left = deadlineMs - usedMs;
  if (left > 0) return left;
  throw new GraphError('TIMEOUT', `The ${type}'s deadline of ${deadlineMs} ms is over`);
}
