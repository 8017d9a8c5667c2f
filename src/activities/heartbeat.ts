import { Context } from '@temporalio/activity';

/** What an activity has said of its progress: every sign of life repeats it, else the server would forget it. */
const progress = new WeakMap<Context, unknown>();

/**
 * Shows the server that an activity is alive while something is done, which is also how a cancellation reaches it.
 * @param timeoutMs after which the server gives the activity up
 */
export async function withHeartbeat<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(progress.get(context)), timeoutMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Shows how far the current activity has come. */
export function heartbeat(details: unknown): void {
  const context = Context.current();
  progress.set(context, details);
  context.heartbeat(details);
}
