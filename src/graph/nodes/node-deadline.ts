import { newCountdown, toggleCountdown } from '../run/countdown.ts';
import type { Countdown } from '../run/countdown.ts';
import type { WithDeadline } from '../run/scope.ts';
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
  begin(): WithDeadline;
  /** Lets it run from now on while a call is out, and stand still otherwise; it stands still for as long as a step takes. */
  run(timed: WithDeadline, isAtWork: boolean, now: number): WithDeadline;
  /** As `TimeLeft`. */
  leftMs(timed: WithDeadline): number | null;
}

export function sharedDeadline({
  type,
  deadline,
}: {
  readonly type: string;
  readonly deadline?: string;
}): SharedDeadline {
  if (deadline === undefined) return { begin: () => ({}), run: () => ({}), leftMs: () => null };
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
  };
}

/** The failure of a node whose deadline has passed. */
export function deadlineExceeded({ type, deadline }: { readonly type: string; readonly deadline?: string }): Progress {
  return failedBecause('TIMEOUT', `The ${type}'s deadline of ${deadline} is over`);
}
