import { TransformStream } from 'node:stream/web';
import type { Response } from 'undici';
import { NetworkError } from './network-error.ts';

/** The limit of a result, because results become part of histories, whose payloads are limited. */
export const MAX_BODY_BYTES = 1_000_000;

/**
 * Reads a response as text. The limit applies to its decompressed bytes.
 * @throws NetworkError `too large`
 */
export async function readBody({ body, headers }: Response): Promise<string> {
  return body ? await readChunks(body, headers.get('content-type')) : '';
}

/**
 * Reads decompressed chunks as text, up to `MAX_BODY_BYTES`.
 * @throws NetworkError `too large`
 */
export async function readChunks(source: AsyncIterable<Uint8Array>, contentType: string | null): Promise<string> {
  return decodeText(await readBytes(source, MAX_BODY_BYTES), contentType);
}

/** Decodes a text by the `charset` of its content type; UTF-8 if it names none that is known. A byte order mark is removed. */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const charset = CHARSET.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder().decode(bytes);
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads decompressed chunks.
 * @throws NetworkError `too large`
 */
export async function readBytes(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw bodyTooLarge(maxBytes);
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
      throw bodyTooLarge(maxBytes);
    },
  });
}

function bodyTooLarge(maxBytes: number): NetworkError {
  return new NetworkError('too large', `The answer is larger than ${maxBytes} bytes`);
}
