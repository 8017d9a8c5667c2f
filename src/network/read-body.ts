import { TransformStream } from 'node:stream/web';
import type { Response } from 'undici';
import { NetworkError } from './network-error.ts';

/** The limit of a result, because results become part of histories, whose payloads are limited. */
export const MAX_BODY_BYTES = 1_000_000;

/**
 * Reads a response as text. The limit applies to its decompressed bytes.
 * @throws NetworkError `too large`
 */
export async function readBody({ body }: Response): Promise<string> {
  return body ? await readChunks(body) : '';
}

/**
 * Reads decompressed chunks as text, up to `MAX_BODY_BYTES`.
 * @throws NetworkError `too large`
 */
export async function readChunks(source: AsyncIterable<Uint8Array>): Promise<string> {
  return (await readBytes(source, MAX_BODY_BYTES)).toString('utf8');
}

/**
 * Reads decompressed chunks.
 * @throws NetworkError `too large`
 */
export async function readBytes(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Creates a stream that passes decompressed bytes through. Above the limit, it cancels its source and fails with a
 * NetworkError `too large`.
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

function tooLarge(maxBytes: number): NetworkError {
  return new NetworkError('too large', `The answer is larger than ${maxBytes} bytes`);
}
