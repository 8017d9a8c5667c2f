import type { RetryPolicy } from '../../graph/definition/index.ts';

/** Share by which delays vary, so that calls that failed together are not retried together. */
const JITTER = 0.2;

/**
 * Computes the delay before the next attempt: exponential backoff with jitter, at least as long as the callee asks for.
 * @param failures number of failed attempts, the latest included
 * @param variation the delay that the callee asks for, and a number from 0 to 1 that varies the backoff
 * @returns milliseconds
 */
export function retryDelay(
  policy: RetryPolicy,
  failures: number,
  { retryAfterMs, jitter }: { readonly retryAfterMs: number | null; readonly jitter: number },
): number {
  const backoff =
    policy.initialMs === 0 ? 0 : Math.min(policy.maxMs, policy.initialMs * policy.coefficient ** (failures - 1));
  const jittered = Math.min(policy.maxMs, backoff * (1 - JITTER / 2 + JITTER * jitter));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/** Upper limit of the delay that a callee may ask for. */
const MAX_RETRY_AFTER_MS = 600_000;

/**
 * Reads `retry-after-ms` or `retry-after` (seconds, or an HTTP date; RFC 9110, 10.2.3). @returns milliseconds, or
 * `null`
 */
export function readRetryAfter(headers: { get(name: string): string | null }, now: number): number | null {
  const ms = toNumber(headers.get('retry-after-ms'));
  if (ms !== null) return ms;
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = toNumber(text);
  if (seconds !== null) return seconds * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function toNumber(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
