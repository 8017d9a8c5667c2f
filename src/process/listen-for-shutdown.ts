import type { Logger } from './logger.ts';

/** Tells a process when it is asked to shut down. */
export interface Shutdown {
  /** Aborted when the process is asked to shut down. */
  readonly signal: AbortSignal;
  /** Waits until the parts are open. A process that is asked to shut down before then exits at once. */
  opening<T>(parts: Promise<T>): Promise<T>;
  /** Resolves when the process is asked to shut down; after `withinMs` more the process exits anyway. */
  asked(withinMs: number): Promise<void>;
}

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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, take);
  return {
    signal: asked.signal,
    async opening(parts) {
      const end = (): void => process.exit(0);
      asked.signal.addEventListener('abort', end);
      const opened = await parts;
      asked.signal.removeEventListener('abort', end);
      return opened;
    },
    async asked(withinMs) {
      await untilAborted(asked.signal);
      const late = (): void => {
        logger.warn('the time to shut down is over, and something has not ended');
        process.exit(1);
      };
      setTimeout(late, withinMs).unref();
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
