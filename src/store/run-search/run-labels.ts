import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/** The fields of a run's metadata that it is found by; further ones are only shown. */
const MAX_LABELS = 64;

type Scalar = string | number | boolean;

const isScalar = (value: Json): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

/** What a run is found by: a label for each text, number and truth value at the top of its metadata. */
export function labelsOf(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata)
    .flatMap(([key, value]) => (isScalar(value) ? [{ key, value }] : []))
    .slice(0, MAX_LABELS)
    .map(({ key, value }) => labelOf(key, value));
}

/** A text of 22 characters for a field and its value, however long these are; `3` and `"3"` have the same. */
export function labelOf(key: string, value: Scalar): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([key, String(value)]))
    .digest();
  return digest.subarray(0, 16).toString('base64url');
}
