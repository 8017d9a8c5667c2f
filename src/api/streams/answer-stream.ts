import type { Context } from 'hono';
import type { ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { sendStream } from './send-stream.ts';
import type { Produced, StreamDeps } from './send-stream.ts';
import { RETRY_FRAME } from './sse-frame.ts';

/** A stream of events that a request asks for. */
interface AskedStream extends Produced {
  readonly slots: TenantSlots;
}

const RETRY_AFTER_S = '5';
/** Proxies neither keep the stream nor collect it before they pass it on. */
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/**
 * Answers with a stream of events while its tenant has a slot.
 * @throws ApiError 429 when the tenant, or the process, has too many streams; 401 when the ticket is used up meanwhile
 */
export async function answerStream(c: Context<ApiEnv>, deps: StreamDeps, asked: AskedStream): Promise<Response> {
  if (c.req.method === 'HEAD') return c.body(null, 200, HEADERS);
  const giveBack = asked.slots.take(c.get('caller').tenantId);
  if (!giveBack)
    throw new ApiError('TOO_MANY_REQUESTS', 'Too many streams are open; close one, or ask again', {
      headers: { 'retry-after': RETRY_AFTER_S },
    });
  try {
    await c.get('useTicket')?.();
  } catch (error) {
    giveBack();
    throw error;
  }
  return sendStream(c, deps, {
    ...asked,
    headers: HEADERS,
    over: giveBack,
    async produce(body) {
      if (await body.write(RETRY_FRAME)) await asked.produce(body);
    },
  });
}
