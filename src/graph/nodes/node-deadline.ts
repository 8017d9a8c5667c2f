import type { Stopwatch } from '../run/countdown.ts';
import type { WithStopwatch } from '../run/scope.ts';
import { toMs } from '../values/duration.ts';
import { GraphError } from '../values/errors.ts';
import { failedBecause } from './behavior.ts';
import type { Progress } from './behavior.ts';

/**
 * Milliseconds that a call made now has, for all its attempts; `null`: as many as its policy gives it.
 * @throws GraphError `TIMEOUT` when the node's deadline is over
 */
export type TimeLeft = () => number | null;

/** A node with an optional deadline, a duration such as `"5m"`. */
interface TimedNode {
  readonly type: string;
  readonly deadline?: string;
}

/** The deadline that several calls of one task share. */
export interface SharedDeadline {
  begin(now: number): WithStopwatch;
  /** Adds the time since the last reading, if `counts`. */
  read(time: WithStopwatch, now: number, counts: boolean): WithStopwatch;
  /** As `timeLeft`. */
  leftMs(time: WithStopwatch): number | null;
}

export function sharedDeadline({ type, deadline }: TimedNode): SharedDeadline {
  if (deadline === undefined) return { begin: () => ({}), read: () => ({}), leftMs: () => null };
  const deadlineMs = toMs(deadline);
  return {
    begin: (now) => ({ stopwatch: startStopwatch(now) }),
    read: ({ stopwatch }, now, counts) => ({
      stopwatch: readStopwatch(stopwatch ?? startStopwatch(now), now, counts),
    }),
    leftMs: ({ stopwatch }) => (stopwatch ? timeLeft(type, deadlineMs, stopwatch) : deadlineMs),
  };
}

export function startStopwatch(now: number): Stopwatch {
  return { usedMs: 0, at: now };
}

/** Reads a stopwatch. The time since its last reading is added if `counts`. */
export function readStopwatch({ usedMs, at }: Stopwatch, now: number, counts: boolean): Stopwatch {
  return { usedMs: usedMs + (counts ? now - at : 0), at: now };
}

/**
 * Milliseconds left of a node's deadline; `null`: it has none.
 * @throws GraphError `TIMEOUT` when none are left
 */
export function timeLeft(type: string, deadlineMs: number | null, { usedMs }: Stopwatch): number | null {
  if (deadlineMs === null) return null;
  const leftMs = deadlineMs - usedMs;
  if (leftMs > 0) return leftMs;
  throw new GraphError('TIMEOUT', `The ${type}'s deadline of ${deadlineMs} ms is over`);
}

/** The failure of a node whose deadline has passed. */
export function deadlineExceeded({ type, deadline }: TimedNode): Progress {
  return failedBecause('TIMEOUT', `The ${type}'s deadline of ${deadline} is over`);
}
