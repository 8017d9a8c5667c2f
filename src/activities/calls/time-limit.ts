import { Context } from '@temporalio/activity';
import type { CallPolicy } from '../../graph/definition/index.ts';
import { CallError } from './call-error.ts';

/** Ends an attempt at its time-out, at the deadline of all attempts, or on cancellation. */
export interface TimeLimit {
  /** Aborts the call's requests. */
  readonly signal: AbortSignal;
  /**
   * Ends with the work or when the signal aborts, whichever comes first, because not all work obeys the signal.
   * @throws CallError `TIMEOUT` or `CANCELED`, or the error of the work
   */
  bound<T>(work: Promise<T>): Promise<T>;
  /** Like `bound`, for work before the call is sent: if the signal aborts meanwhile, the call was not made. */
  prepare<T>(this: void, work: Promise<T>): Promise<T>;
  isCanceled(): boolean;
  /** True if the deadline of all attempts had passed before this one began. */
  readonly isExpired: boolean;
  /** True if an attempt after this delay would begin before the deadline. */
  allows(delayMs: number): boolean;
  close(): void;
}

/** A reason of the server or the worker to cancel an attempt. */
export type CancelReason = keyof NonNullable<Context['cancellationDetails']>;

/**
 * Opens the time limit of an attempt.
 * @param ignored reasons that don't cancel the attempt
 */
export function openTimeLimit(
  { timeoutMs, deadlineMs }: CallPolicy,
  context: Context,
  ignored: readonly CancelReason[] = [],
): TimeLimit {
  const { info } = context;
  const cancellationSignal = ignored.length > 0 ? abortExceptFor(context, ignored) : context.cancellationSignal;
  const endsAt = deadlineMs === null ? Number.POSITIVE_INFINITY : info.scheduledTimestampMs + deadlineMs;
  const limitMs = Math.min(timeoutMs, endsAt - Date.now());
  let isPreparing = false;
  const toError = (): CallError => {
    const done = isPreparing ? 'no' : 'perhaps';
    if (cancellationSignal.aborted)
      return new CallError('CANCELED', 'The call was canceled', { retryable: false, done });
    const which =
      limitMs < timeoutMs ? `the deadline of ${deadlineMs} ms for all attempts` : `its time-out of ${timeoutMs} ms`;
    return new CallError('TIMEOUT', `The call took longer than ${which}`, { retryable: true, done });
  };
  // A controller, because Node never frees listeners on a signal of `AbortSignal.any`.
  const ending = new AbortController();
  // This listener is the first, so its error precedes those that the abort causes in the work.
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(toError()), { once: true });
  });
  ended.catch(() => undefined);
  const bound = async <T>(work: Promise<T>): Promise<T> => await Promise.race([work, ended]);
  const abort = (): void => ending.abort();
  const timeout = setTimeout(abort, Math.min(Math.max(1, limitMs), MAX_TIMER_MS));
  if (cancellationSignal.aborted) abort();
  else cancellationSignal.addEventListener('abort', abort, { once: true });
  return {
    signal: ending.signal,
    bound,
    async prepare(work) {
      isPreparing = true;
      try {
        const prepared = await bound(work);
        // The call must not follow if the signal aborted when the work ended.
        if (ending.signal.aborted) await ended;
        return prepared;
      } finally {
        isPreparing = false;
      }
    },
    isCanceled: () => cancellationSignal.aborted,
    isExpired: limitMs <= 0,
    allows: (delayMs) => Date.now() + delayMs < endsAt,
    close() {
      clearTimeout(timeout);
      cancellationSignal.removeEventListener('abort', abort);
    },
  };
}

/** Returns a signal that aborts on cancellation, unless all of its reasons are ignored. */
function abortExceptFor(context: Context, ignored: readonly string[]): AbortSignal {
  const controller = new AbortController();
  const listen = (): void => {
    const reasons = Object.entries(context.cancellationDetails ?? {}).filter(([, isSet]) => isSet);
    if (reasons.length === 0 || reasons.some(([reason]) => !ignored.includes(reason))) controller.abort();
  };
  if (context.cancellationSignal.aborted) listen();
  else context.cancellationSignal.addEventListener('abort', listen, { once: true });
  return controller.signal;
}

/** Node's longest timer, 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Latest progress of each activity. Every heartbeat repeats it, because the server keeps only the last details. */
const latestProgress = new WeakMap<Context, unknown>();

/** Longest delay of a cancellation: Temporal's SDK may throttle heartbeats to this interval. */
export const HEARTBEAT_EVERY_MS = 5_000;

/**
 * Sends heartbeats while work is done; a cancellation arrives in their answers. Short work sends none. An attempt that
 * was scheduled long ago sends one at once, since its worker may have been suspended.
 * @param timeoutMs the activity's heartbeat time-out
 */
export async function withHeartbeat<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const everyMs = Math.min(timeoutMs / 3, HEARTBEAT_EVERY_MS);
  if (Date.now() - context.info.currentAttemptScheduledTimestampMs >= everyMs)
    context.heartbeat(progressOfAttempt(context));
  const timer = setInterval(() => context.heartbeat(progressOfAttempt(context)), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The progress of this attempt, else that of the last one. */
function progressOfAttempt(context: Context): unknown {
  const { heartbeatDetails } = context.info;
  return latestProgress.has(context) ? latestProgress.get(context) : heartbeatDetails;
}

/** Reports the progress of the current activity; a local one has none. */
export function reportHeartbeat(details: unknown): void {
  const context = Context.current();
  if (context.info.isLocal) return;
  latestProgress.set(context, details);
  context.heartbeat(details);
}
