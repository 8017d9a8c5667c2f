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
  /** Aborts the response, so that the reader can distinguish it from a complete one. */
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
  const outlet = openSseOutlet(() => finish());
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
export async function writeFrames<T>(
  body: SseBody,
  things: readonly T[],
  toFrame: (thing: T) => string,
): Promise<void> {
  for (const thing of things) if (!(await body.write(toFrame(thing)))) return;
}

/** A byte stream with a bounded buffer. */
interface SseOutlet {
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
function openSseOutlet(onCancel: () => void): SseOutlet {
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

/** A server-sent event (WHATWG HTML, section 9.2). Id and type must not contain line breaks. */
interface ServerSentEvent {
  /** The id from which a client resumes; without it, the client keeps the previous one. */
  readonly id?: string | undefined;
  readonly type: string;
  readonly data: unknown;
}

/** A comment: clients ignore it, and it keeps proxies from closing an idle connection. */
const HEARTBEAT_FRAME = ': hb\n\n';

/** Formats an event. JSON has no line breaks, so its data is one line. */
export function toSseFrame({ id, type, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Advances the position from which a client resumes, without an event. */
export function toIdFrame(id: string): string {
  return `id: ${id}\n\n`;
}
