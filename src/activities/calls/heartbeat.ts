import { Context } from '@temporalio/activity';

/** Latest progress of each activity. Every heartbeat repeats it, because the server keeps only the last details. */
const progress = new WeakMap<Context, unknown>();

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
  if (Date.now() - context.info.currentAttemptScheduledTimestampMs >= everyMs) context.heartbeat(progressOf(context));
  const timer = setInterval(() => context.heartbeat(progressOf(context)), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The progress of this attempt, else that of the last one. */
function progressOf(context: Context): unknown {
  const { heartbeatDetails } = context.info;
  return progress.has(context) ? progress.get(context) : heartbeatDetails;
}

/** Reports the progress of the current activity; a local one has none. */
export function heartbeat(details: unknown): void {
  const context = Context.current();
  if (context.info.isLocal) return;
  progress.set(context, details);
  context.heartbeat(details);
}
