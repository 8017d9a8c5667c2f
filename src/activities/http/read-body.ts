import type { Response } from 'undici';
import { limitBytes } from './limit-bytes.ts';

/** Results become part of histories, whose payloads are limited. */
export const MAX_BODY_BYTES = 1_000_000;

/**
 * Reads a response as text, counted after decompression.
 * @throws CallError `PAYLOAD_TOO_LARGE`
 */
export async function readBody(response: Response): Promise<string> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body.pipeThrough(limitBytes(MAX_BODY_BYTES))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
