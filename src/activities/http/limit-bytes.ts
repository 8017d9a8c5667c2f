import { TransformStream } from 'node:stream/web';
import { CallError } from '../calls/call-error.ts';
import { UNCLEAR } from '../calls/classify-failure.ts';

/**
 * Passes bytes through and counts them after decompression.
 * @returns a stream that fails with `PAYLOAD_TOO_LARGE` above the limit and cancels its source
 */
export function limitBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      throw tooLarge(maxBytes);
    },
  });
}

export function tooLarge(maxBytes: number): CallError {
  return new CallError('PAYLOAD_TOO_LARGE', `The answer is larger than ${maxBytes} bytes`, UNCLEAR);
}
