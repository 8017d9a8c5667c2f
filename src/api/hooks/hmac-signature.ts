import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SignedRequest } from './signed-request.ts';

/** What a request says of its own signature: an HMAC-SHA256, in hex, over a prefix and the body. */
export interface HmacClaim {
  readonly prefix: string;
  /** Several while a secret is replaced; one is enough. */
  readonly signatures: readonly string[];
}

/** True if one of the signatures is the right one. The time that it takes tells nothing about the right one. */
export function isSigned(secret: string, { bytes }: SignedRequest, { prefix, signatures }: HmacClaim): boolean {
  const right = createHmac('sha256', secret).update(prefix).update(bytes).digest();
  return signatures.some((signature) => HEX.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), right));
}

const HEX = /^[0-9a-f]{64}$/i;

/** Tells signed content from other content. Unlike a signature, no more than one text belongs to it. */
export function signedContent({ bytes }: SignedRequest, prefix: string): string {
  return createHash('sha256').update(prefix).update(bytes).digest('hex');
}
