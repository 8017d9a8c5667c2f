import type { Stopwatch } from '../run/countdown.ts';
import type { WithStopwatch } from '../run/scope.ts';
import { toMs } from '../values/duration.ts';
import { GraphError } from '../values/errors.ts';
import { failedBecause } from './behavior.ts';
import type { Progress } from './behavior.ts';

/**
 * Milliseconds that a call which is made now has for all attempts; `null`: as its policy says.
 * @throws GraphError `TIMEOUT` when there is none left
 */
export type TimeLeft = () => number | null;

/** The deadline of a node that makes several calls, which share it. */
export interface SharedDeadline {
  begin(now: number): WithStopwatch;
  /** @param isAtWork whether the time since it was read last counts */
  read(timed: WithStopwatch, now: number, isAtWork: boolean): WithStopwatch;
  /** As `timeLeft`. */
  leftMs(timed: WithStopwatch): number | null;
}

export function sharedDeadline({
  type,
  deadline,
}: {
  readonly type: string;
  readonly deadline?: string;
}): SharedDeadline {
  if (deadline === undefined) return { begin: () => ({}), read: () => ({}), leftMs: () => null };
  const deadlineMs = toMs(deadline);
  return {
    begin: (now) => ({ stopwatch: startStopwatch(now) }),
    read: ({ stopwatch }, now, isAtWork) => ({
      stopwatch: readStopwatch(stopwatch ?? startStopwatch(now), now, isAtWork),
    }),
    leftMs: ({ stopwatch }) => (stopwatch ? timeLeft(type, deadlineMs, stopwatch) : deadlineMs),
  };
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

/** The failure of a node whose deadline has passed. */
export function deadlineExceeded({ type, deadline }: { readonly type: string; readonly deadline?: string }): Progress {
  return failedBecause('TIMEOUT', `The ${type}'s deadline of ${deadline} is over`);
}
