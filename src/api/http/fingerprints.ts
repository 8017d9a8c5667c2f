import { createHmac, createHash } from 'node:crypto';
import { canonicalJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** HMAC fingerprints of content. A guess of the content can be tested against its fingerprint only with the secret. */
export interface Fingerprints {
  /** Returns 64 hexadecimal digits. @param kind separates fingerprints of different uses */
  of(kind: string, content: unknown): string;
}

/** @param secret the secret of the installation, the same for all API processes */
export function createFingerprints(secret: string): Fingerprints {
  const key = createHmac('sha256', secret).update('seals').digest();
  return {
    of: (kind, content) =>
      createHmac('sha256', key)
        .update(JSON.stringify([kind, content]))
        .digest('hex'),
  };
}

/** Hashes content independently of the order of its keys. @returns SHA-256 in hex */
export function contentHash(content: Json): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
