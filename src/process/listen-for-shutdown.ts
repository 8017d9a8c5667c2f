import type { Logger } from './logger.ts';

/** Tells a process when it is asked to shut down. */
export interface Shutdown {
  /** Aborted when the process is asked to shut down. */
  readonly signal: AbortSignal;
  /**
   * Waits until the parts are open. A process that is asked to shut down before then exits at once; one whose parts can't be
   * opened exits with 1 when it has closed those that are, or could not in time.
   * @throws what the parts throw
   */
  opening<T>(parts: Promise<T>, closeOthers: () => Promise<void>): Promise<T>;
  /** Resolves when the process is asked to shut down; after `withinMs` more the process exits anyway. */
  asked(withinMs: number): Promise<void>;
}

/** The time to close what is open in a process that can't begin: as long as an attempt to connect may take, and some more. */
const GIVE_UP_WITHIN_MS = 10_000;

/** The first SIGTERM or SIGINT asks for a shutdown; the second one ends the process at once. */
export function listenForShutdown(logger: Logger): Shutdown {
  const asked = new AbortController();
  const take = (signal: NodeJS.Signals): void => {
    if (asked.signal.aborted) {
      logger.warn({ signal }, 'ending at once, as asked to again');
      process.exit(1);
    }
    logger.info({ signal }, 'shutting down; a second signal ends the process at once');
    asked.abort();
  };
  const exitAfter = (ms: number): void => {
    const late = (): void => {
      logger.warn('the time to shut down is over, and something has not ended');
      process.exit(1);
    };
    setTimeout(late, ms).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, take);
  return {
    signal: asked.signal,
    async opening(parts, closeOthers) {
      const end = (): void => process.exit(0);
      if (asked.signal.aborted) end();
      asked.signal.addEventListener('abort', end);
      const opened = parts.finally(() => asked.signal.removeEventListener('abort', end));
      return await opened.catch(async (error: unknown) => {
        logger.error({ error }, 'the process can not begin');
        exitAfter(GIVE_UP_WITHIN_MS);
        await closeOthers().catch((reason: unknown) => logger.warn({ error: reason }, 'something could not be closed'));
        throw error;
      });
    },
    async asked(withinMs) {
      await untilAborted(asked.signal);
      exitAfter(withinMs);
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
