import type { Context } from 'hono';
import { measure } from '../../telemetry/metrics/meter.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { openSseBody } from './sse-body.ts';
import type { SseBody, StreamTimes } from './sse-body.ts';

export type StreamDeps = Pick<ApiDeps, 'logger' | 'shuttingDown' | 'streaming'>;

/** What is sent as it comes. */
export interface Produced {
  /** Writes the stream; it ends when this returns. */
  readonly produce: (body: SseBody) => Promise<void>;
  /** What a heartbeat says besides. */
  readonly withHeartbeat?: () => string;
}

interface SentStream extends Produced {
  readonly headers: Readonly<Record<string, string>>;
  /** The stream ends after this time at the latest. */
  readonly maxMs?: number;
  /** Gives back what the stream holds. */
  readonly over: () => void;
}

const TIMES: StreamTimes = { heartbeatMs: 15_000, stallMs: 30_000 };
/** The longest time of a timer. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Answers with a stream, until it is at its end, the reader is gone or takes nothing, the caller's token ends or the
 * process does.
 */
export function sendStream(c: Context<ApiEnv>, deps: StreamDeps, stream: SentStream): Response {
  const { headers, withHeartbeat, over, maxMs = MAX_TIMER_MS } = stream;
  const body = openSseBody({ ...TIMES, ...deps.streaming, withHeartbeat, hangUp: hangUpOf(c) });
  const { expiresAtMs = Number.POSITIVE_INFINITY } = c.get('caller');
  endWith(body, deps.shuttingDown, Math.min(maxMs, expiresAtMs - Date.now(), MAX_TIMER_MS));
  measure('holdfast.sse.clients', 1, {});
  void write(body, deps, stream).finally(() => {
    measure('holdfast.sse.clients', -1, {});
    over();
  });
  return c.body(body.stream, 200, headers);
}

async function write(body: SseBody, { logger }: StreamDeps, { produce }: Produced): Promise<void> {
  try {
    await produce(body);
    body.end();
  } catch (error) {
    logger.warn({ error }, 'a stream failed; its reader can resume it');
    body.cut();
  }
}

/** Ends a body when the process begins to shut down, and when its time is up. */
function endWith(body: SseBody, shuttingDown: AbortSignal, leftMs: number): void {
  const { end, over } = body;
  const timer = setTimeout(end, Math.max(0, leftMs));
  shuttingDown.addEventListener('abort', end);
  over.addEventListener('abort', () => {
    clearTimeout(timer);
    shuttingDown.removeEventListener('abort', end);
  });
  if (shuttingDown.aborted) end();
}

/** Returns what ends the connection of a request; requests within the process have none. */
function hangUpOf({ env }: { readonly env?: ApiEnv['Bindings'] }): (() => void) | undefined {
  const outgoing = env?.outgoing;
  return outgoing && (() => void outgoing.destroy());
}
