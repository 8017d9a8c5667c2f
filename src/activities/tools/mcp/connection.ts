import { CallError } from '../../calls/call-error.ts';
import type { Session } from './session.ts';
import { toUnreachable } from './to-call-error.ts';

/** A server that is kept within reach: one session, and the next one when it has ended. */
export interface Connection {
  /** The session that is open, else a new one. @throws CallError when there is none to be had now */
  session(): Promise<Session>;
  close(): Promise<void>;
}

interface ConnectionOptions {
  readonly open: () => Promise<Session>;
  /** Is told when a session has ended that nobody has closed. */
  readonly onLost: () => void;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Opens sessions when they are asked for. After a failure it waits before it tries again, longer each time; who asks
 * meanwhile is told when to come back.
 */
export function keepConnection({ open, onLost }: ConnectionOptions): Connection {
  let current: Promise<Session> | null = null;
  let isClosed = false;
  let failures = 0;
  let retryAt = 0;

  const forget = (session: Promise<Session>): boolean => {
    if (current !== session) return false;
    current = null;
    return !isClosed;
  };
  const openNext = (): Promise<Session> => {
    const opening = open();
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
      if (isClosed) throw unreachable('The connection is closed', null);
      const pauseMs = retryAt - Date.now();
      if (!current && pauseMs > 0) throw unreachable('The server was away a moment ago', pauseMs);
      try {
        return await (current ??= openNext());
      } catch (error) {
        throw toUnreachable(error);
      }
    },
    async close() {
      isClosed = true;
      const session = await current?.catch(() => null);
      await session?.close();
    },
  };
}

function unreachable(message: string, retryAfterMs: number | null): CallError {
  return new CallError('TOOL_FAILED', message, { retryable: true, done: 'no', retryAfterMs });
}
