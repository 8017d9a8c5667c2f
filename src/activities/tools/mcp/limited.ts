import { ReadableStream } from 'node:stream/web';
import { CallError } from '../../calls/call-error.ts';
import { fromNetwork } from '../../calls/classify-failure.ts';

/** More than a result may have: what comes with one, such as news of its progress, is counted too. */
export const MAX_STREAM_BYTES = 10_000_000;

interface Limited {
  readonly readable: ReadableStream<Uint8Array>;
  /** What it ended with; `null`: all of it has come, or nobody wants the rest. */
  readonly ended: Promise<CallError | null>;
}

/** The same stream, which fails with a `CallError` when it breaks or becomes too large. */
export function limited(stream: ReadableStream<Uint8Array>): Limited {
  let end: (error: CallError | null) => void = () => undefined;
  const ended = new Promise<CallError | null>((resolve) => {
    end = resolve;
  });
  const next = boundedReads(stream);
  const readable = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = await next();
        if (chunk) return controller.enqueue(chunk);
        controller.close();
        end(null);
      } catch (thrown) {
        const error = fromNetwork('TOOL_FAILED', thrown);
        controller.error(error);
        end(error);
      }
    },
    async cancel(reason) {
      end(null);
      await next.cancel(reason);
    },
  });
  return { readable, ended };
}

interface Reads {
  (): Promise<Uint8Array | null>;
  cancel(reason: unknown): Promise<void>;
}

function boundedReads(stream: ReadableStream<Uint8Array>): Reads {
  const reader = stream.getReader();
  const cancel = async (reason: unknown): Promise<void> => await reader.cancel(reason);
  let bytes = 0;
  const read = async (): Promise<Uint8Array | null> => {
    const { value = null } = await reader.read();
    bytes += value?.byteLength ?? 0;
    if (bytes <= MAX_STREAM_BYTES) return value;
    const error = tooLarge();
    await cancel(error);
    throw error;
  };
  return Object.assign(read, { cancel });
}

function tooLarge(): CallError {
  const message = `The answer is larger than ${MAX_STREAM_BYTES} bytes`;
  return new CallError('PAYLOAD_TOO_LARGE', message, { retryable: false, done: 'perhaps' });
}
