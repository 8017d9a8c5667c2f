import type { ApiDeps } from '../deps.ts';

/** Work that is done again and again. */
export interface PeriodicWork {
  /** Stands in the log. */
  readonly name: string;
  readonly everyMs: number;
  /** @param stopping aborted when the work must begin nothing more */
  readonly run: (stopping: AbortSignal) => Promise<void>;
}

/** Failed work pauses, because the cause rarely passes at once and would fill the log. */
const PAUSE_AFTER_FAILURE_MS = 3_000;

/** Rare work is done in the first minutes, too, as some processes live no longer. */
const FIRST_AFTER_MS = 60_000;
/** Processes that start together don't begin rare work together. */
const FIRST_SPREAD_MS = 240_000;

/** Repeats work, one execution at a time. @returns a function that stops it */
export function keepDoing({ name, everyMs, run }: PeriodicWork, logger: ApiDeps['logger']): () => Promise<void> {
  const stopping = new AbortController();
  let working: Promise<void> | null = null;
  let notBefore = 0;
  const look = (): void => {
    if (Date.now() < notBefore) return;
    working ??= run(stopping.signal)
      .catch((error: unknown) => {
        notBefore = Date.now() + PAUSE_AFTER_FAILURE_MS;
        logger.warn({ error, chore: name }, 'sweeping failed; it will be tried again');
      })
      .finally(() => (working = null));
  };
  let timer = setTimeout(
    () => {
      timer = setInterval(look, everyMs);
      look();
    },
    Math.min(everyMs, FIRST_AFTER_MS + Math.random() * FIRST_SPREAD_MS),
  );
  return async () => {
    clearTimeout(timer);
    stopping.abort();
    await working;
  };
}
