import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Temporal takes ids of 255 bytes under its smallest configuration; a run's id and some numbers stand around a place. */
const MAX_LENGTH = 160;
const KEPT = 90;

/** A place in a run as part of an id: a long one ends in a hash of all of it. */
export function shortened(place: string): string {
  if (place.length <= MAX_LENGTH) return place;
  const hash = bytesToHex(sha256(new TextEncoder().encode(place)));
  return `${place.slice(0, KEPT)}~${hash}`;
}
