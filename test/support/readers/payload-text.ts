import { inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';

/** The encoding of payloads that `process/payloads/compression.ts` has compressed. */
const DEFLATE = 'holdfast/deflate';

/** Returns the content of a payload as text; a compressed payload is decompressed. */
export function payloadText({ metadata, data }: Payload): string {
  const encoding = Buffer.from(metadata?.['encoding'] ?? []).toString();
  const bytes = Buffer.from(data ?? []);
  return (encoding === DEFLATE ? inflateRawSync(bytes) : bytes).toString();
}
