/** A request of another system, as it came. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The time at which it came. */
  readonly atMs: number;
}

/** A signature may be this old, or this far in the future. */
const MAX_AGE_MS = 5 * 60_000;

/** True for a Unix time in seconds, in digits only, that is not far from the request's. */
export function isRecent(seconds: string, { atMs }: Pick<SignedRequest, 'atMs'>): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(atMs - Number(seconds) * 1_000) <= MAX_AGE_MS;
}
