import { newCountdown, toggleCountdown } from '../run/countdown.ts';
import type { Countdown } from '../run/countdown.ts';
import type { WithDeadline } from '../run/scope.ts';
import { toMs } from '../values/duration.ts';
import { GraphError } from '../values/errors.ts';
import { failedBecause } from './behavior.ts';
import type { Progress, TaskInput } from './behavior.ts';

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
  begin(): WithDeadline;
  /** Lets the deadline run from `now` on if a call is open; otherwise it stands still. */
  run(time: WithDeadline, isAtWork: boolean, now: number): WithDeadline;
  /** As `TimeLeft`. */
  leftMs(time: WithDeadline): number | null;
  /** Leaves as much time at most as a graph inside has left; `null` changes nothing. */
  cap(time: WithDeadline, leftMs: number | null): WithDeadline;
}

/** Returns the time that a graph which has run as a tool call leaves its node; `null`: the input says nothing of it. */
export function leftMsIn(input: TaskInput): number | null {
  return input.kind === 'graph.finished' || input.kind === 'graph.failed' ? input.leftMs : null;
}

/** Creates the deadline of a node. Without `deadline`, it leaves every call the time of its policy. */
export function sharedDeadline({ type, deadline }: TimedNode): SharedDeadline {
  if (deadline === undefined) return { begin: () => ({}), run: () => ({}), leftMs: () => null, cap: () => ({}) };
  const deadlineMs = toMs(deadline);
  const begin = (): Countdown => newCountdown(deadlineMs);
  return {
    begin: () => ({ countdown: begin() }),
    run({ countdown = begin() }, isAtWork, now) {
      return { countdown: toggleCountdown(countdown, isAtWork, now) ?? countdown };
    },
    leftMs({ countdown = begin() }) {
      if (countdown.leftMs > 0) return countdown.leftMs;
      throw new GraphError('TIMEOUT', `The ${type}'s deadline of ${deadlineMs} ms is over`);
    },
    cap({ countdown = begin() }, leftMs) {
      return { countdown: leftMs === null ? countdown : { ...countdown, leftMs: Math.min(countdown.leftMs, leftMs) } };
    },
  };
}

/** The failure of a node whose deadline has passed. */
export function deadlineExceeded({ type, deadline }: TimedNode): Progress {
  return failedBecause('TIMEOUT', `The ${type}'s deadline of ${deadline} is over`);
}
