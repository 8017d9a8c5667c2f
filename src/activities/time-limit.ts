import type { Context } from '@temporalio/activity';
import type { CallPolicy } from '../graph/call-policy.ts';
import { CallError } from './call-error.ts';

/** Ends a call when its attempt has taken too long, all attempts together have, or nobody wants it any more. */
export interface TimeLimit {
  /** Aborts the call's requests. */
  readonly signal: AbortSignal;
  /** Settles with the work, or rejects as soon as the signal aborts: not all work listens to it. */
  bound<T>(work: Promise<T>): Promise<T>;
  /** What an error means that came from the signal; `null`: it came from somewhere else. */
  explain(thrown: unknown): CallError | null;
  isCanceled(): boolean;
  /** All attempts together have taken too long before this one began. */
  readonly isOver: boolean;
  /** Whether an attempt after so many milliseconds would still begin before the deadline. */
  allows(delayMs: number): boolean;
  close(): void;
}

export function openTimeLimit({ timeoutMs, deadlineMs }: CallPolicy, { info, cancellationSignal }: Context): TimeLimit {
  const endsAt = deadlineMs === null ? Number.POSITIVE_INFINITY : info.scheduledTimestampMs + deadlineMs;
  const limitMs = Math.min(timeoutMs, endsAt - Date.now());
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), Math.min(Math.max(1, limitMs), MAX_TIMER_MS));
  const signal = AbortSignal.any([timer.signal, cancellationSignal]);
  const error = (): CallError => {
    if (cancellationSignal.aborted)
      return new CallError('CANCELED', 'The call was canceled', { retryable: false, done: 'perhaps' });
    const which =
      limitMs < timeoutMs ? `the deadline of ${deadlineMs} ms for all attempts` : `its time-out of ${timeoutMs} ms`;
    return new CallError('TIMEOUT', `The call took longer than ${which}`, { retryable: true, done: 'perhaps' });
  };
  return {
    signal,
    async bound(work) {
      return await Promise.race([work, aborted(signal)]);
    },
    explain: () => (signal.aborted ? error() : null),
    isCanceled: () => cancellationSignal.aborted,
    isOver: limitMs <= 0,
    allows: (delayMs) => Date.now() + delayMs < endsAt,
    close: () => clearTimeout(timeout),
  };
}

/** Node's timers take no more; 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    if (signal.aborted) reject(new Error('Aborted'));
    else signal.addEventListener('abort', () => reject(new Error('Aborted')), { once: true });
  });
}
