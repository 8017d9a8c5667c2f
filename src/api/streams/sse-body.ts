import { HEARTBEAT_FRAME } from './sse-frame.ts';

/** Times of a stream that tests shorten. */
export interface StreamTimes {
  readonly heartbeatMs: number;
  /** A reader that takes nothing for so long is cut off. */
  readonly stallMs: number;
}

/** The body of an answer that is written while it is read. */
export interface SseBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Aborted when nothing is written any more: the reader is gone or cut off, or the stream has ended. */
  readonly over: AbortSignal;
  /** Writes a frame, one at a time, and waits for space after it. @returns false: the stream is over */
  write(frame: string): Promise<boolean>;
  /** Writes a frame if the reader keeps up, and drops it otherwise. */
  offer(frame: string): void;
  /** Ends the answer after what is written. */
  readonly end: () => void;
  /** Breaks the answer off, so that the reader knows that more was to come. */
  cut(): void;
}

interface BodyOptions extends StreamTimes {
  /** What a heartbeat says besides. */
  readonly withHeartbeat?: (() => string) | undefined;
  /** Ends the connection; without it, the body fails. */
  readonly hangUp?: (() => void) | undefined;
}

/** The bytes that may wait for a reader, besides those in the buffers of its connection. */
const BUFFER_BYTES = 65_536;

/** Opens a body with a heartbeat. A slow reader holds one buffer and one frame, until it is cut off. */
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

/** Writes frames of some things, made one at a time, until the stream is over. */
export async function writeAll<T>(body: SseBody, things: readonly T[], toFrame: (thing: T) => string): Promise<void> {
  for (const thing of things) if (!(await body.write(toFrame(thing)))) return;
}

/** A stream of bytes with a bounded buffer. */
interface Outlet {
  readonly stream: ReadableStream<Uint8Array>;
  put(bytes: Uint8Array): void;
  hasSpace(): boolean;
  /** @returns false: the reader has taken nothing in that time */
  untilSpace(withinMs: number): Promise<boolean>;
  /** True if the reader has taken nothing since this was asked last, though something waited for it then. */
  isStuck(): boolean;
  /** Ends the waiting for space. */
  wake(): void;
  close(): void;
  fail(): void;
}

/** @param onCancel called when the reader is gone */
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
