import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/** What an approval shows to the people who decide it. */
export interface Shown {
  readonly title: string;
  readonly details: Json;
  readonly args: Json;
}

/** Returns the SHA-256, in hex, of what an approval shows, as canonical JSON (RFC 8785). */
export function digestOf({ title, details, args }: Shown): string {
  return bytesToHex(sha256(new TextEncoder().encode(canonicalJson({ title, details, args }))));
}
