import { createHash } from 'node:crypto';
import { canonicalJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

/** Identifies content: equal content has the same hash, whatever the order of its keys. @returns SHA-256 in hex */
export function contentHash(content: Json): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
