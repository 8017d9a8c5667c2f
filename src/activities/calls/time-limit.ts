import type { Context } from '@temporalio/activity';
import type { CallPolicy } from '../../graph/definition/index.ts';
import { CallError } from './call-error.ts';

/** Ends a call when its attempt has taken too long, all attempts together have, or nobody wants it any more. */
export interface TimeLimit {
  /** Aborts the call's requests. */
  readonly signal: AbortSignal;
  /**
   * Settles with the work, or as soon as the signal aborts: not all work listens to it. What comes first counts.
   * @throws CallError `TIMEOUT` or `CANCELED`; what the work throws
   */
  bound<T>(work: Promise<T>): Promise<T>;
  isCanceled(): boolean;
  /** All attempts together have taken too long before this one began. */
  readonly isExpired: boolean;
  /** Whether an attempt after so many milliseconds would still begin before the deadline. */
  allows(delayMs: number): boolean;
  close(): void;
}

/** Why the server or the worker cancels an attempt. */
export type CancelReason = keyof NonNullable<Context['cancellationDetails']>;

/** @param ignored an attempt that is canceled for no other reasons than these goes on */
export function openTimeLimit(
  { timeoutMs, deadlineMs }: CallPolicy,
  { context, ignored }: { readonly context: Context; readonly ignored: readonly CancelReason[] },
): TimeLimit {
  const { info } = context;
  const cancellationSignal = ignored.length > 0 ? exceptFor(context, ignored) : context.cancellationSignal;
  const endsAt = deadlineMs === null ? Number.POSITIVE_INFINITY : info.scheduledTimestampMs + deadlineMs;
  const limitMs = Math.min(timeoutMs, endsAt - Date.now());
  const toError = (): CallError => {
    if (cancellationSignal.aborted)
      return new CallError('CANCELED', 'The call was canceled', { retryable: false, done: 'perhaps' });
    const which =
      limitMs < timeoutMs ? `the deadline of ${deadlineMs} ms for all attempts` : `its time-out of ${timeoutMs} ms`;
    return new CallError('TIMEOUT', `The call took longer than ${which}`, { retryable: true, done: 'perhaps' });
  };
  // One controller of its own: Node keeps what is listened to on a signal of `AbortSignal.any` for ever.
  const ending = new AbortController();
  // It listens before any work does, so that no error which the signal leads to comes before its own.
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(toError()), { once: true });
  });
  ended.catch(() => undefined);
  const abort = (): void => ending.abort();
  const timeout = setTimeout(abort, Math.min(Math.max(1, limitMs), MAX_TIMER_MS));
  if (cancellationSignal.aborted) abort();
  else cancellationSignal.addEventListener('abort', abort, { once: true });
  return {
    signal: ending.signal,
    bound: async (work) => await Promise.race([work, ended]),
    isCanceled: () => cancellationSignal.aborted,
    isExpired: limitMs <= 0,
    allows: (delayMs) => Date.now() + delayMs < endsAt,
    close() {
      clearTimeout(timeout);
      cancellationSignal.removeEventListener('abort', abort);
    },
  };
}

/** Aborts when the activity is canceled for another reason than the ignored ones, or for none that is told. */
function exceptFor(context: Context, ignored: readonly string[]): AbortSignal {
  const controller = new AbortController();
  const listen = (): void => {
    const reasons = Object.entries(context.cancellationDetails ?? {}).filter(([, isTold]) => isTold);
    if (reasons.length === 0 || reasons.some(([reason]) => !ignored.includes(reason))) controller.abort();
  };
  if (context.cancellationSignal.aborted) listen();
  else context.cancellationSignal.addEventListener('abort', listen, { once: true });
  return controller.signal;
}

/** Node's timers take no more; 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;
