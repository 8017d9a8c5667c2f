import type { Response } from 'undici';
import { tooLarge } from './limit-bytes.ts';

/** Results become part of histories, whose payloads are limited. */
export const MAX_BODY_BYTES = 1_000_000;

/**
 * Reads a response as text, counted after decompression.
 * @throws CallError `PAYLOAD_TOO_LARGE`
 */
export async function readBody({ body }: Response): Promise<string> {
  return body ? await readChunks(body) : '';
}

/**
 * Reads decompressed chunks as text, and no more of them than are allowed.
 * @throws CallError `PAYLOAD_TOO_LARGE`
 */
export async function readChunks(source: AsyncIterable<Uint8Array>): Promise<string> {
  return (await readBytes(source, MAX_BODY_BYTES)).toString('utf8');
}

/**
 * Reads decompressed chunks.
 * @throws CallError `PAYLOAD_TOO_LARGE`
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
