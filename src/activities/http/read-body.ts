import type { Response } from 'undici';
import { CallError } from '../call-error.ts';

/** Results travel through histories, whose payloads are bounded. */
const MAX_BODY_BYTES = 1_000_000;

/**
 * Reads an answer's text, decompressed and counted while it comes in.
 * @throws CallError `PAYLOAD_TOO_LARGE`
 */
export async function readBody(response: Response): Promise<string> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) {
      throw new CallError('PAYLOAD_TOO_LARGE', `The answer is larger than ${MAX_BODY_BYTES} bytes`, {
        retryable: false,
        done: 'perhaps',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
