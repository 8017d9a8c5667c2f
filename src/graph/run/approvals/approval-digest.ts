import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { priceOfText, spend } from '../../values/meter.ts';

/** What an approval shows to the people who decide it. */
export interface Shown {
  readonly title: string;
  readonly details: Json;
  readonly args: Json;
}

/**
 * Returns the SHA-256, in hex, of what an approval shows, as canonical JSON (RFC 8785). A byte costs twice as much as that
 * of a text that is only written.
 */
export function digestOf({ title, details, args }: Shown): string {
  const bytes = new TextEncoder().encode(canonicalJson({ title, details, args }));
  spend(priceOfText(bytes));
  return bytesToHex(sha256(bytes));
}
