import type { HoldfastError } from '../holdfast-error.ts';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Of the API or of what stands before it: the same request may be served later. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The pause before the next attempt, in milliseconds: the time that the API names, or twice as long each time.
 * @param attempt the number of the attempt that failed, from 1
 * @param random from 0 to 1; spreads the requests of many clients
 * @returns `null`: another attempt would fail the same way, or is wanted too late
 */
export function retryDelay(error: HoldfastError, attempt: number, random: number): number | null {
  if (!isPassing(error)) return null;
  const { retryAfterMs } = error;
  if (retryAfterMs !== null) return retryAfterMs > LONGEST_MS ? null : retryAfterMs + random * FIRST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
}

function isPassing({ code, status }: HoldfastError): boolean {
  return code === 'UNREACHABLE' || code === 'REQUEST_IN_PROGRESS' || (status !== null && PASSING.has(status));
}
