import { createHash } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import type { Blob } from '../../store/blobs/blobs.ts';

/** The name of the storage driver in references to the store. */
export const DRIVER = 'holdfast';

export function toStoredBlob({ metadata, data }: Payload): Blob {
  return {
    metadata: eachValue(metadata ?? {}, (value) => Buffer.from(value).toString('base64')),
    data: data ?? new Uint8Array(),
  };
}

/** Returns the digest of a payload's content, which becomes part of its id. */
export function payloadDigest({ metadata, data }: Blob): string {
  return createHash('sha256').update(JSON.stringify(metadata)).update(data).digest('base64url');
}

export function fromStored({ metadata, data }: Blob): Payload {
  return { metadata: eachValue(metadata, (value) => Buffer.from(value, 'base64')), data };
}

function eachValue<From, To>(
  metadata: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, convert(value)]));
}
