import { messageOf } from '../graph/values/index.ts';
import type { Logger } from './logger.ts';

/** Notifies a process of shutdown requests. */
export interface Shutdown {
  /** Aborts when a shutdown is requested. */
  readonly signal: AbortSignal;
  /**
   * Waits until the parts are open. If a shutdown is requested before then, the process exits at once. If the parts
   * can't be opened, it closes the open ones, within a time limit, and exits with 1.
   * @throws the errors of the parts
   */
  opening<T>(parts: Promise<T>, closeOthers: () => Promise<void>): Promise<T>;
  /** Resolves when a shutdown is requested; the process exits `withinMs` later in any case. */
  requested(withinMs: number): Promise<void>;
}

/** The time to close open parts in a process that can't start: as long as one connection attempt, with some reserve. */
const GIVE_UP_WITHIN_MS = 10_000;

/** The first SIGTERM or SIGINT requests a shutdown; the second one ends the process at once. */
export function listenForShutdown(logger: Logger): Shutdown {
  const request = new AbortController();
  const receive = (signal: NodeJS.Signals): void => {
    if (request.signal.aborted) {
      logger.warn({ signal }, 'ending at once, as asked to again');
      process.exit(1);
    }
    logger.info({ signal }, 'shutting down; a second signal ends the process at once');
    request.abort();
  };
  const exitAfter = (ms: number): void => {
    const late = (): void => {
      logger.warn('the time to shut down is over, and something has not ended');
      process.exit(1);
    };
    setTimeout(late, ms).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, receive);
  return {
    signal: request.signal,
    async opening(parts, closeOthers) {
      const end = (): void => process.exit(0);
      if (request.signal.aborted) end();
      request.signal.addEventListener('abort', end);
      const opened = parts.finally(() => request.signal.removeEventListener('abort', end));
      return await opened.catch(async (error: unknown) => {
        // No run has begun, so the text can quote no value of one.
        logger.error({ error, reason: messageOf(error) }, 'the process can not begin');
        exitAfter(GIVE_UP_WITHIN_MS);
        await closeOthers().catch((reason: unknown) => logger.warn({ error: reason }, 'something could not be closed'));
        throw error;
      });
    },
    async requested(withinMs) {
      await untilAborted(request.signal);
      exitAfter(withinMs);
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
