import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../graph/values/index.ts';
import type { Logger } from './logger.ts';
import { SetupError } from './setup-error.ts';

/** A dependency that a process needs before it can start, and that may start later than the process. */
export interface Dependency<T> {
  /** For example `Temporal`. */
  readonly name: string;
  readonly open: () => Promise<T>;
  /** True for errors of a dependency that may become available later; any other error stops the retries. */
  readonly isAway: (error: unknown) => boolean;
}

export interface RetryOptions {
  readonly logger: Logger;
  /** The names of the dependencies that are not available yet, which readiness probes return. */
  readonly unavailable: Set<string>;
  /** Stops the retries. */
  readonly signal: AbortSignal;
}

/** The means by which a process opens its dependencies. */
export interface Opening extends RetryOptions {
  /** Registers opened parts, so that they are closed together. */
  readonly parts: OpenParts;
}

const FIRST_CONNECT_PAUSE_MS = 250;
const MAX_CONNECT_PAUSE_MS = 5_000;

/**
 * Opens a dependency, with retries until it is available.
 * @throws SetupError for any error that does not mean "away"; the reason of the signal
 */
export async function connectWithRetry<T>(
  { name, open, isAway }: Dependency<T>,
  { logger, unavailable, signal }: RetryOptions,
): Promise<T> {
  unavailable.add(name);
  for (let pauseMs = FIRST_CONNECT_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_CONNECT_PAUSE_MS)) {
    try {
      const opened = await open();
      unavailable.delete(name);
      return opened;
    } catch (error) {
      if (!isAway(error)) throw connectionRefused(name, error);
      logger.warn({ reason: error instanceof Error ? error.message : String(error) }, `waiting for ${name}`);
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

function connectionRefused(name: string, error: unknown): SetupError {
  if (error instanceof SetupError) return error;
  return new SetupError(`${name} refuses: ${causeMessages(error).join(': ')}`, { cause: error });
}

/** Returns the message of an error, followed by those of its causes. */
function causeMessages(error: unknown): readonly string[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return [messageOf(error), ...(cause === undefined ? [] : causeMessages(cause))];
}

/** The open parts of a process, which are closed together. */
export interface OpenParts {
  /** Aborts when the parts close, so that pending waits end. */
  readonly closing: AbortSignal;
  /** Waits for a part and closes it with the others, also if it opens only after they were closed. */
  keep<T>(part: T | Promise<T>, close: (part: T) => Promise<unknown>): Promise<T>;
  /** @throws the first failure, after all parts were tried */
  close(): Promise<void>;
}

/** Creates an empty set of parts. */
export function keepParts(): OpenParts {
  const closing = new AbortController();
  const closers: (() => Promise<unknown>)[] = [];
  return {
    closing: closing.signal,
    async keep(part, close) {
      const opening = Promise.resolve(part);
      closers.push(async () => await opening.then(close, () => undefined));
      return await opening;
    },
    async close() {
      closing.abort();
      await settleAll(closers.map(async (close) => await close()));
    },
  };
}

/**
 * Waits for all requests, also after one has failed: closing a connection while another one is retried would crash the
 * process.
 * @throws the first failure
 */
export async function settleAll<T>(requests: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(requests);
  return await Promise.all(requests);
}
