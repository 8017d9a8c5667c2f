import type { Context } from 'hono';
import type { ApiEnv, ApiDeps } from '../deps.ts';
import { requireSlot } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { measure } from '../../telemetry/metrics/meter.ts';

/** Times of a stream in milliseconds, which tests shorten. */
export interface StreamTimes {
  readonly heartbeatMs: number;
  /** A reader that takes no data for this long is disconnected. */
  readonly stallMs: number;
}

/** A response body that is written while it is read. */
export interface SseBody {
  readonly stream: ReadableStream<Uint8Array>;
  /**
   * Aborted when nothing can be written any more: the reader has disconnected or was disconnected, or the stream has
   * ended.
   */
  readonly over: AbortSignal;
  /** Writes a frame and waits for buffer space after it; one write at a time. @returns false when the stream is over */
  write(frame: string): Promise<boolean>;
  /** Writes a frame if there is buffer space, and drops it otherwise. */
  offer(frame: string): void;
  /** Ends the response after everything that was written. */
  readonly end: () => void;
  /** Aborts the response, so that the reader can tell it from a complete one. */
  cut(): void;
}

interface BodyOptions extends StreamTimes {
  /** An additional frame that is sent with each heartbeat. */
  readonly withHeartbeat?: (() => string) | undefined;
  /** Closes the connection; without it, the body errors instead. */
  readonly hangUp?: (() => void) | undefined;
}

/** The most bytes that are queued for a reader, besides the buffers of its connection. */
const BUFFER_BYTES = 65_536;

/** Opens a body with a heartbeat. A slow reader occupies one buffer and one frame until it is disconnected. */
export function openSseBody({ heartbeatMs, stallMs, withHeartbeat, hangUp }: BodyOptions): SseBody {
  const over = new AbortController();
  const encoder = new TextEncoder();
  const outlet = openOutlet(() => finish());
  let isWriting = false;
  const beat = setInterval(() => body.offer(`${HEARTBEAT_FRAME}${withHeartbeat?.() ?? ''}`), heartbeatMs);
  const watch = setInterval(() => {
    if (outlet.isStuck()) body.cut();
  }, stallMs);
  const finish = (): void => {
    clearInterval(beat);
    clearInterval(watch);
    over.abort();
    outlet.wake();
  };
  const body: SseBody = {
    stream: outlet.stream,
    over: over.signal,
    async write(frame) {
      isWriting = true;
      const bytes = encoder.encode(frame);
      for (let from = 0; from < bytes.length && !over.signal.aborted; from += BUFFER_BYTES) {
        outlet.put(bytes.subarray(from, from + BUFFER_BYTES));
        if (!outlet.hasSpace() && !(await outlet.untilSpace(stallMs))) body.cut();
      }
      isWriting = false;
      return !over.signal.aborted;
    },
    offer(frame) {
      if (!over.signal.aborted && !isWriting && outlet.hasSpace()) outlet.put(encoder.encode(frame));
    },
    end() {
      if (over.signal.aborted) return;
      finish();
      outlet.close();
    },
    cut() {
      if (over.signal.aborted) return;
      finish();
      if (hangUp) hangUp();
      else outlet.fail();
    },
  };
  return body;
}

/** Writes one frame per item, each built when it is needed, until the stream is over. */
export async function writeAll<T>(body: SseBody, things: readonly T[], toFrame: (thing: T) => string): Promise<void> {
  for (const thing of things) if (!(await body.write(toFrame(thing)))) return;
}

/** A byte stream with a bounded buffer. */
interface Outlet {
  readonly stream: ReadableStream<Uint8Array>;
  put(bytes: Uint8Array): void;
  hasSpace(): boolean;
  /** @returns false when the reader has taken nothing within the time */
  untilSpace(withinMs: number): Promise<boolean>;
  /** Returns true if data was queued at the previous call and the reader has taken none of it since. */
  isStuck(): boolean;
  /** Ends a wait for buffer space. */
  wake(): void;
  close(): void;
  fail(): void;
}

/** @param onCancel called when the reader has disconnected */
function openOutlet(onCancel: () => void): Outlet {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let wake = (): void => undefined;
  let written = 0;
  let seen = { waiting: 0, taken: 0 };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
      },
      pull: () => wake(),
      cancel: onCancel,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
  );
  return {
    stream,
    put(bytes) {
      written += bytes.length;
      controller?.enqueue(bytes);
    },
    hasSpace: () => (controller?.desiredSize ?? 0) > 0,
    untilSpace: async (withinMs) =>
      await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), withinMs);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      }),
    isStuck() {
      const waiting = BUFFER_BYTES - (controller?.desiredSize ?? BUFFER_BYTES);
      const before = seen;
      seen = { waiting, taken: written - waiting };
      return before.waiting > 0 && seen.taken === before.taken;
    },
    wake: () => wake(),
    close: () => controller?.close(),
    fail: () => controller?.error(new Error('The stream was broken off; it can be resumed')),
  };
}

/** An event stream that a request asks for. */
interface AskedStream extends Produced {
  readonly slots: TenantSlots;
}

const RETRY_AFTER_S = 5;
/** Tells proxies not to cache or buffer the stream. */
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/**
 * Answers with an event stream if the tenant has a free slot.
 * @throws ApiError 429 when the tenant or the process has too many streams; 401 when another stream has used the ticket
 */
export async function answerStream(c: Context<ApiEnv>, deps: StreamDeps, asked: AskedStream): Promise<Response> {
  if (c.req.method === 'HEAD') return c.body(null, 200, HEADERS);
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
    headers: HEADERS,
    over: release,
    async produce(body) {
      if (await body.write(RETRY_FRAME)) await asked.produce(body);
    },
  });
}

export type StreamDeps = Pick<ApiDeps, 'logger' | 'shuttingDown' | 'streaming'>;

/** The source of a stream. */
export interface Produced {
  /** Writes the stream, which ends when this resolves. */
  readonly produce: (body: SseBody) => Promise<void>;
  /** An additional frame that is sent with each heartbeat. */
  readonly withHeartbeat?: () => string;
}

interface SentStream extends Produced {
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

/** Returns a function that closes the request's connection; requests within the process have none. */
function hangUpOf({ env }: Partial<Context<ApiEnv>>): (() => void) | undefined {
  const outgoing = env?.outgoing;
  return outgoing && (() => void outgoing.destroy());
}

/** A server-sent event (WHATWG HTML, section 9.2). Id and type must not contain line breaks. */
interface ServerSentEvent {
  /** The id from which a client resumes; without it, the client keeps the previous one. */
  readonly id?: string | undefined;
  readonly type: string;
  readonly data: unknown;
}

/** Sets the pause before a client reconnects, in milliseconds. */
const RETRY_FRAME = 'retry: 1000\n\n';
/** A comment: clients ignore it, and it keeps proxies from closing an idle connection. */
const HEARTBEAT_FRAME = ': hb\n\n';

/** Formats an event. JSON has no line breaks, so its data is one line. */
export function toFrame({ id, type, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Advances the position from which a client resumes, without an event. */
export function toIdFrame(id: string): string {
  return `id: ${id}\n\n`;
}
