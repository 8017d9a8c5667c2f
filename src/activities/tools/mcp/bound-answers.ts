import { ReadableStream } from 'node:stream/web';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { CallError, TRY_AGAIN, UNCLEAR } from '../../calls/call-error.ts';
import { fromNetwork } from '../../calls/classify-failure.ts';

/** The maximum number of answers to a server in progress; each of its requests, such as a ping, gets one. */
const MAX_ANSWERS = 16;

type SendMessage = () => Promise<void>;

/**
 * Sends messages, but at most `MAX_ANSWERS` answers at a time.
 * @param onExceeded called once; it ends the session, because the server sends requests faster than it accepts answers
 */
export function boundAnswers(
  onExceeded: (error: CallError) => void,
): (message: JSONRPCMessage, send: SendMessage) => Promise<void> {
  let answers = 0;
  let isExceeded = false;
  return async (message, send) => {
    if ('method' in message) return await send();
    if (answers >= MAX_ANSWERS) {
      const error = tooManyRequests();
      if (!isExceeded) onExceeded(error);
      isExceeded = true;
      throw error;
    }
    answers += 1;
    try {
      await send();
    } finally {
      answers -= 1;
    }
  };
}

function tooManyRequests(): CallError {
  return new CallError('TOOL_FAILED', `The server asks more than ${MAX_ANSWERS} questions at a time`, TRY_AGAIN);
}

/** Larger than the limit of a result, because progress notifications that come with it count, too. */
export const MAX_STREAM_BYTES = 10_000_000;

interface LimitedStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** The error with which the stream ended; `null` if it is complete or canceled. */
  readonly ended: Promise<CallError | null>;
}

/** Passes a stream through, and fails it with a `CallError` when it breaks or becomes too large. */
export function limitStream(stream: ReadableStream<Uint8Array>): LimitedStream {
  let resolveEnded: (error: CallError | null) => void = () => undefined;
  const ended = new Promise<CallError | null>((resolve) => {
    resolveEnded = resolve;
  });
  const next = createBoundedReader(stream);
  const readable = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = await next();
        if (chunk) return controller.enqueue(chunk);
        controller.close();
        resolveEnded(null);
      } catch (thrown) {
        const error = fromNetwork('TOOL_FAILED', thrown);
        controller.error(error);
        resolveEnded(error);
      }
    },
    async cancel(reason) {
      resolveEnded(null);
      await next.cancel(reason);
    },
  });
  return { readable, ended };
}

interface BoundedReader {
  (): Promise<Uint8Array | null>;
  cancel(reason: unknown): Promise<void>;
}

function createBoundedReader(stream: ReadableStream<Uint8Array>): BoundedReader {
  const reader = stream.getReader();
  const cancel = async (reason: unknown): Promise<void> => await reader.cancel(reason);
  let bytes = 0;
  const read = async (): Promise<Uint8Array | null> => {
    const { value = null } = await reader.read();
    bytes += value?.byteLength ?? 0;
    if (bytes <= MAX_STREAM_BYTES) return value;
    const error = answerTooLarge();
    await cancel(error);
    throw error;
  };
  return Object.assign(read, { cancel });
}

function answerTooLarge(): CallError {
  const message = `The answer is larger than ${MAX_STREAM_BYTES} bytes`;
  return new CallError('PAYLOAD_TOO_LARGE', message, UNCLEAR);
}
