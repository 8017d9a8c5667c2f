import { Context } from '@temporalio/activity';

/**
 * Shows the server that an activity is alive while something is done, which is also how a cancellation reaches it.
 * @param timeoutMs after which the server gives the activity up
 */
export async function withHeartbeat<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), timeoutMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
