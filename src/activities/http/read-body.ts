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
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
