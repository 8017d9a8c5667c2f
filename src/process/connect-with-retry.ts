import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../graph/values/text.ts';
import type { Logger } from './logger.ts';

/** Something that a process needs before it can begin, and that may start later than the process. */
export interface Need<T> {
  /** Such as `Temporal`. */
  readonly what: string;
  readonly open: () => Promise<T>;
  /** Whether an error only says that it is not there yet; any other one ends the waiting. */
  readonly isAway: (error: unknown) => boolean;
}

/** How a process waits. */
export interface Patience {
  /** Is told what is waited for, and why. */
  readonly logger: Logger;
  /** What is waited for right now. */
  readonly awaited: Set<string>;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Opens what is needed, again and again until it is there. */
export async function untilThere<T>({ what, open, isAway }: Need<T>, { logger, awaited }: Patience): Promise<T> {
  awaited.add(what);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const opened = await open();
      awaited.delete(what);
      return opened;
    } catch (error) {
      if (!isAway(error)) throw error;
      logger.warn({ reason: messageOf(error) }, `waiting for ${what}`);
    }
    await sleep(pauseMs);
  }
}
