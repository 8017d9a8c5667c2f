import { createHmac, createHash } from 'node:crypto';
import { canonicalJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** Names content by codes that tell nothing about it. The code of a guessed content can't be made without the secret. */
export interface Fingerprints {
  /** Returns 64 hexadecimal digits. @param kind keeps codes of different use apart */
  of(kind: string, content: unknown): string;
}

/** @param secret of the installation, the same for all API processes */
export function createFingerprints(secret: string): Fingerprints {
  const key = createHmac('sha256', secret).update('seals').digest();
  return {
    of: (kind, content) =>
      createHmac('sha256', key)
        .update(JSON.stringify([kind, content]))
        .digest('hex'),
  };
}

/** Identifies content: equal content has the same hash, whatever the order of its keys. @returns SHA-256 in hex */
export function contentHash(content: Json): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
