import type { Session } from './session.ts';
import { toUnreachable, unreachable } from './to-call-error.ts';

/** A connection to a server. It opens a new session when the last one has ended. */
export interface Connection {
  /** Returns the open session or a new one. @throws CallError if the server is not available */
  session(): Promise<Session>;
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** @param closing aborts when the connection is closed meanwhile */
  readonly open: (closing: AbortSignal) => Promise<Session>;
  /** Is called when a session ends unexpectedly. */
  readonly onLost: () => void;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Opens sessions on demand, with exponential backoff after failures. Until the next attempt, callers get an error with
 * `retryAfterMs`.
 */
export function keepConnection({ open, onLost }: ConnectionOptions): Connection {
  let current: Promise<Session> | null = null;
  const closing = new AbortController();
  let failures = 0;
  let retryAt = 0;

  const forget = (session: Promise<Session>): boolean => {
    if (current !== session) return false;
    current = null;
    return !closing.signal.aborted;
  };
  const openNext = (): Promise<Session> => {
    const opening = open(closing.signal);
    opening.then(
      (session) => {
        failures = 0;
        void session.ended.then(() => {
          if (forget(opening)) onLost();
        });
      },
      () => {
        forget(opening);
        retryAt = Date.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
        failures += 1;
      },
    );
    return opening;
  };
  return {
    async session() {
      if (closing.signal.aborted) throw unreachable('The connection is closed');
      const pauseMs = retryAt - Date.now();
      if (!current && pauseMs > 0) throw unreachable('The server was away a moment ago', pauseMs);
      try {
        return await (current ??= openNext());
      } catch (error) {
        throw toUnreachable(error);
      }
    },
    async close() {
      closing.abort();
      const session = await current?.catch(() => null);
      await session?.close();
    },
  };
}
