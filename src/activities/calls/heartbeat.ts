import { Context } from '@temporalio/activity';

/** What an activity has said of its progress: every sign of life repeats it, else the server would forget it. */
const progress = new WeakMap<Context, unknown>();

/** So long a cancellation takes at most to reach an activity: Temporal's SDK may hold a sign of life back for as long. */
export const HEARTBEAT_EVERY_MS = 5_000;

/**
 * Shows the server that an activity is alive while something is done, which is also how a cancellation reaches it. Most
 * work is done before the first sign is due, and costs the server none. An attempt that was scheduled long ago asks at
 * once whether it is still wanted: its worker may have stood still.
 * @param timeoutMs after which the server gives the activity up
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

/** What this attempt has said, or those before it. */
function progressOf(context: Context): unknown {
  const { heartbeatDetails } = context.info;
  return progress.has(context) ? progress.get(context) : heartbeatDetails;
}

/** Shows how far the current activity has come. */
export function heartbeat(details: unknown): void {
  const context = Context.current();
  progress.set(context, details);
  context.heartbeat(details);
}
