import type { Context } from 'hono';
import { measure } from '../../telemetry/metrics/meter.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { openSseBody } from './sse-body.ts';
import type { SseBody, StreamTimes } from './sse-body.ts';
import { RETRY_FRAME } from './sse-frame.ts';

type StreamDeps = Pick<ApiDeps, 'logger' | 'shuttingDown' | 'streaming'>;

/** A stream that a request asks for. */
interface AskedStream {
  readonly slots: TenantSlots;
  /** Writes the stream; it ends when this returns. */
  readonly produce: (body: SseBody) => Promise<void>;
  /** What a heartbeat says besides. */
  readonly withHeartbeat?: () => string;
}

const TIMES: StreamTimes = { heartbeatMs: 15_000, stallMs: 30_000 };
const RETRY_AFTER_S = '5';
/** Proxies neither keep the stream nor collect it before they pass it on. */
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
/** The longest time of a timer. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Answers with a stream, until it is at its end, the reader is gone, the caller's token ends or the process does.
 * @throws ApiError 429 when the tenant, or the process, has too many streams
 */
export function answerStream(c: Context<ApiEnv>, deps: StreamDeps, asked: AskedStream): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, HEADERS);
  const { tenantId, expiresAtMs } = c.get('caller');
  const giveBack = asked.slots.take(tenantId);
  if (!giveBack)
    throw new ApiError('TOO_MANY_REQUESTS', 'Too many streams are open; close one, or ask again', {
      headers: { 'retry-after': RETRY_AFTER_S },
    });
  const { withHeartbeat } = asked;
  const body = openSseBody({ ...TIMES, ...deps.streaming, withHeartbeat, hangUp: hangUpOf(c) });
  endWith(body, deps.shuttingDown, expiresAtMs);
  measure('holdfast.sse.clients', 1, {});
  void write(body, deps, asked).finally(() => {
    measure('holdfast.sse.clients', -1, {});
    giveBack();
  });
  return c.body(body.stream, 200, HEADERS);
}

async function write(body: SseBody, { logger }: StreamDeps, { produce }: AskedStream): Promise<void> {
  try {
    if (await body.write(RETRY_FRAME)) await produce(body);
    body.end();
  } catch (error) {
    logger.warn({ error }, 'a stream failed; its reader can resume it');
    body.cut();
  }
}

/** Ends a body when the process begins to shut down, and when the caller's token ends. */
function endWith(body: SseBody, shuttingDown: AbortSignal, expiresAtMs: number | undefined): void {
  const { end, over } = body;
  const leftMs = expiresAtMs === undefined ? MAX_TIMER_MS : expiresAtMs - Date.now();
  const timer = setTimeout(end, Math.min(Math.max(0, leftMs), MAX_TIMER_MS));
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
