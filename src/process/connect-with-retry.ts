import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../graph/values/index.ts';
import type { Logger } from './logger.ts';

/** Something that a process needs before it can begin, and that may start later than the process. */
export interface Dependency<T> {
  /** Such as `Temporal`. */
  readonly name: string;
  readonly open: () => Promise<T>;
  /** Whether an error only says that it is not there yet; any other one ends the waiting. */
  readonly isAway: (error: unknown) => boolean;
}

/** How a process waits. */
export interface RetryOptions {
  /** Is told what is waited for, and why. */
  readonly logger: Logger;
  /** What is waited for right now. */
  readonly unavailable: Set<string>;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Opens what is needed, again and again until it is there. */
export async function connectWithRetry<T>(
  { name, open, isAway }: Dependency<T>,
  { logger, unavailable }: RetryOptions,
): Promise<T> {
  unavailable.add(name);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const opened = await open();
      unavailable.delete(name);
      return opened;
    } catch (error) {
      if (!isAway(error)) throw error;
      logger.warn({ reason: messageOf(error) }, `waiting for ${name}`);
    }
    await sleep(pauseMs);
  }
}
