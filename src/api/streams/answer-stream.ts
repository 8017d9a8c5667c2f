import type { Context } from 'hono';
import type { ApiEnv, ApiDeps } from '../deps.ts';
import { requireSlot } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import { openSseBody } from './sse-body.ts';
import type { SseBody, StreamTimes } from './sse-body.ts';

/** An event stream as a route answers with it. */
interface RequestedStream extends StreamSource {
  readonly slots: TenantSlots;
}

const RETRY_AFTER_S = 5;
/** Sets the pause before a client reconnects, in milliseconds. */
const RETRY_FRAME = 'retry: 1000\n\n';
/** The headers of an event stream, which proxies neither cache nor buffer. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/**
 * Answers with an event stream if the tenant has a free slot.
 * @throws ApiError 429 when the tenant or the process has too many streams; 401 when another stream has used the ticket
 */
export async function answerStream(c: Context<ApiEnv>, deps: StreamDeps, asked: RequestedStream): Promise<Response> {
  if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_STREAM_HEADERS);
  const refusal = 'Too many streams are open; close one, or ask again';
  const release = requireSlot(asked.slots, c.get('caller').tenantId, refusal, RETRY_AFTER_S);
  try {
    await c.get('useTicket')?.();
  } catch (error) {
    release();
    throw error;
  }
  return sendStream(c, deps, {
    ...asked,
    headers: EVENT_STREAM_HEADERS,
    over: release,
    async produce(body) {
      if (await body.write(RETRY_FRAME)) await asked.produce(body);
    },
  });
}

export type StreamDeps = Pick<ApiDeps, 'logger' | 'shuttingDown' | 'streaming'>;

/** The source of a stream. */
export interface StreamSource {
  /** Writes the stream, which ends when this resolves. */
  readonly produce: (body: SseBody) => Promise<void>;
  /** An additional frame that is sent with each heartbeat. */
  readonly withHeartbeat?: () => string;
}

interface SentStream extends StreamSource {
  readonly headers: Readonly<Record<string, string>>;
  /** The longest duration of the stream. */
  readonly maxMs?: number;
  /** Releases the slot of the stream. */
  readonly over: () => void;
}

const TIMES: StreamTimes = { heartbeatMs: 15_000, stallMs: 30_000 };
/** The longest delay that a Node timer supports. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Answers with a stream. It ends at its own end, when the reader disconnects or stalls, when the caller's token
 * expires, or when the process shuts down.
 */
export function sendStream(c: Context<ApiEnv>, deps: StreamDeps, stream: SentStream): Response {
  const { headers, withHeartbeat, over, maxMs = MAX_TIMER_MS } = stream;
  const body = openSseBody({ ...TIMES, ...deps.streaming, withHeartbeat, hangUp: hangUpOf(c) });
  const { expiresAtMs = Number.POSITIVE_INFINITY } = c.get('caller');
  endWithSignal(body, deps.shuttingDown, Math.min(maxMs, expiresAtMs - Date.now(), MAX_TIMER_MS));
  measure('holdfast.sse.clients', 1, {});
  void writeStream(body, deps, stream).finally(() => {
    measure('holdfast.sse.clients', -1, {});
    over();
  });
  return c.body(body.stream, 200, headers);
}

async function writeStream(body: SseBody, { logger }: StreamDeps, { produce }: StreamSource): Promise<void> {
  try {
    await produce(body);
    body.end();
  } catch (error) {
    logger.warn({ error }, 'a stream failed; its reader can resume it');
    body.cut();
  }
}

/** Ends a body when the process begins to shut down, and when its time is up. */
function endWithSignal(body: SseBody, shuttingDown: AbortSignal, leftMs: number): void {
  const { end, over } = body;
  const timer = setTimeout(end, Math.max(0, leftMs));
  shuttingDown.addEventListener('abort', end);
  over.addEventListener('abort', () => {
    clearTimeout(timer);
    shuttingDown.removeEventListener('abort', end);
  });
  if (shuttingDown.aborted) end();
}

/** Returns a function that closes the request's connection; requests within the process have none. */
function hangUpOf({ env }: Partial<Context<ApiEnv>>): (() => void) | undefined {
  const outgoing = env?.outgoing;
  return outgoing && (() => void outgoing.destroy());
}
